// Checks the start of an application that has installed the package. It counts the modules before the first response,
// because counts do not depend on the machine like times do. It also checks that the bundle of docs/deployment.md works without
// other packages.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * One resource on SQLite may load so many modules before its first response: of the package, and all without Node's
 * own.
 */
const LIMITS = { own: 75, all: 520, bundle: 4_200_000 }
/** Packages that a first response does not need. */
const UNNEEDED = [
  'zod',
  'csv-parse',
  'pdfkit',
  'jose',
  'pg',
  'pg-boss',
  'swagger-ui-dist',
  'bidi-js',
  '@aws-sdk/client-s3',
  'drizzle-kit',
]

const APPLICATION = `import Database from 'better-sqlite3'
import { eq } from 'drizzle-orm'
import Fastify from 'fastify'
import { AllowAny, BaseModelSerializer, BaseViewSet } from 'viewset'
import { resources, serverOptions } from 'viewset/fastify'
import { kit as c, sqlite } from 'viewset/sqlite'

const authors = c.table('authors', { id: c.integer().primaryKey(), name: c.text(200).notNull() })
const AuthorViewSet = BaseViewSet({
  model: authors,
  serializer: BaseModelSerializer(authors, { fields: ['id', 'name'] }),
  permissionClasses: [AllowAny],
  queryset: () => eq(authors.name, 'Ada'),
})
new Database('start.db').exec("drop table if exists authors; create table authors (id integer primary key, name text not null); insert into authors (name) values ('Ada'), ('Bob')").close()
const app = Fastify(serverOptions)
await app.register(resources, { prefix: '/api', database: sqlite('start.db'), resources: { authors: AuthorViewSet } })
console.log(await app.listen({ port: 0, host: '127.0.0.1' }))
process.on('message', () => app.close().then(() => process.exit()))
`

/** Records each loaded module, and writes the list at the end. */
const WITNESS = `import { registerHooks } from 'node:module'
import { writeFileSync } from 'node:fs'
const urls = new Set()
registerHooks({ load: (url, context, next) => (urls.add(url), next(url, context)) })
process.on('exit', () => writeFileSync('loaded.json', JSON.stringify([...urls])))
`

/** Starts a program that prints its address, sends one request, and lets it end. */
async function answerOf(folder: string, args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  try {
    const [address] = await Promise.race([
      once(child.stdout as NodeJS.ReadableStream, 'data'),
      once(child, 'exit').then(() => {
        throw new Error(`node ${args.join(' ')} ended before it listened`)
      }),
    ])
    const read = await fetch(`${String(address).trim()}/api/authors/`)
    const { data } = (await read.json()) as { data?: readonly { readonly name: string }[] }
    if (data?.map(({ name }) => name).join() !== 'Ada')
      throw new Error(`answered ${read.status}, ${JSON.stringify(data)}`)
  } finally {
    if (child.exitCode === null) {
      child.send('close')
      await once(child, 'exit')
    }
  }
}

function packageOf(url: string): string {
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? ''
}

/** @throws Error if an application loads more than it needs, or more than before */
async function checkLoaded(folder: string): Promise<void> {
  await answerOf(folder, ['--import', './witness.mjs', '--import', 'viewset/fast-drizzle', 'start.mjs'])
  const urls: string[] = JSON.parse(readFileSync(join(folder, 'loaded.json'), 'utf8'))
  const modules = urls.filter(url => !url.startsWith('node:'))
  const own = modules.filter(url => packageOf(url) === 'viewset').length
  const unneeded = UNNEEDED.filter(name => modules.some(url => packageOf(url) === name))
  if (unneeded.length > 0) throw new Error(`a first answer loads ${unneeded.join(', ')}`)
  const slow = modules.filter(url => packageOf(url) === 'drizzle-orm' && url.endsWith('.js'))
  if (slow.length > 0) throw new Error(`these are read as ES modules, which is slow: ${slow.slice(0, 5).join(', ')}`)
  // Every module costs about the same, independent of its contents.
  if (own > LIMITS.own || modules.length > LIMITS.all || own === 0) {
    throw new Error(
      `a first answer loads ${own} modules of the package and ${modules.length} in all: ${JSON.stringify(LIMITS)}`,
    )
  }
  console.log(`a first answer loads ${own} modules of the package and ${modules.length} in all`)
}

function bundleScript(root: string): string {
  const guide = readFileSync(join(root, 'docs/deployment.md'), 'utf8')
  const [, script] = /^```js file=bundle\.js\n(.*?)^```/ms.exec(guide) ?? []
  if (script === undefined) throw new Error('docs/deployment.md has no bundle.js')
  return script
}

/** @throws Error if the bundle is too large, needs another package than better-sqlite3, or does not answer */
async function checkBundle(folder: string, root: string): Promise<void> {
  writeFileSync(join(folder, 'app.js'), APPLICATION)
  writeFileSync(join(folder, 'bundle.js'), bundleScript(root))
  execFileSync(process.execPath, ['bundle.js'], { cwd: folder, stdio: 'inherit' })
  // Outside of this folder, because Node looks for packages in parent folders.
  const bare = mkdtempSync(join(tmpdir(), 'viewset-bundle-'))
  try {
    cpSync(join(folder, 'out'), bare, { recursive: true })
    writeFileSync(join(bare, 'package.json'), '{ "type": "module" }')
    cpSync(join(folder, 'node_modules/better-sqlite3'), join(bare, 'node_modules/better-sqlite3'), { recursive: true })
    const { size } = statSync(join(bare, 'app.js'))
    if (size > LIMITS.bundle) throw new Error(`the bundle has ${size} bytes; ${LIMITS.bundle} are its limit`)
    await answerOf(bare, ['app.js'])
    console.log(`a bundle of ${size} bytes answers, beside ${readdirSync(join(folder, 'out')).join(', ')}`)
  } finally {
    rmSync(bare, { recursive: true, force: true })
  }
}

/** Runs both checks in a folder with the package and all its peers. */
export async function checkStart(folder: string, root: string): Promise<void> {
  writeFileSync(join(folder, 'start.mjs'), APPLICATION)
  writeFileSync(join(folder, 'witness.mjs'), WITNESS)
  await checkLoaded(folder)
  await checkBundle(folder, root)
}
