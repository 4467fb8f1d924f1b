import { randomBytes } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import type { Choices } from './choices.ts'
import { manifestOf } from './manifest.ts'
import { BASE, CONTENTS, DATABASES, FRAMEWORKS, type Part } from './parts.ts'
import type { Target } from './target.ts'

const TEMPLATES = join(import.meta.dirname, '../templates')

/** The name of the project in the templates. */
const NAME = 'my-api'

/**
 * Writes a project. Existing files are not overwritten.
 *
 * @param packed the paths of packed packages, which the project keeps and installs
 */
export async function writeProject(
  { path: folder, name }: Target,
  choices: Choices,
  packed: readonly string[] = [],
): Promise<void> {
  const files = await projectFiles(choices)
  const names = packed.map(path => basename(path))
  for (const [path, text] of names.length > 0 ? withPacked(files, names) : files) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text.replaceAll(NAME, name), { flag: 'wx' })
  }
  if (packed.length > 0) await mkdir(join(folder, VENDOR))
  for (const path of packed) await copyFile(path, join(folder, VENDOR, basename(path)))
}

const VENDOR = 'vendor'

/** The container of the project installs them too. */
function withPacked(files: ReadonlyMap<string, string>, packed: readonly string[]): ReadonlyMap<string, string> {
  const manifest = JSON.parse(files.get('package.json') ?? '')
  for (const file of packed) {
    // npm's file name is `viewset-tools-0.1.0.tgz`.
    const name = file.replace(/-\d.*/, '')
    const group = name in manifest.dependencies ? manifest.dependencies : manifest.devDependencies
    group[name] = `file:${VENDOR}/${file}`
  }
  const install = 'COPY package.json package-lock.json .npmrc ./\n'
  const dockerfile = files.get('Dockerfile')?.replace(install, `${install}COPY ${VENDOR} ${VENDOR}\n`) ?? ''
  return new Map([...files, ['package.json', `${JSON.stringify(manifest, null, 2)}\n`], ['Dockerfile', dockerfile]])
}

/** Each part adds a section to these files. */
const IN_SECTIONS: readonly string[] = ['README.md', '.env.example', '.gitignore', '.dockerignore']

async function projectFiles({ database, framework, example }: Choices): Promise<ReadonlyMap<string, string>> {
  const content = example ? 'example' : 'empty'
  const parts: readonly Part[] = [BASE, FRAMEWORKS[framework], DATABASES[database], CONTENTS[content]]
  const files = new Map<string, string>()
  for (const name of parts.flatMap(({ folders }) => folders)) {
    for (const [path, text] of await filesOf(join(TEMPLATES, name.replace('*', content)))) {
      const before = files.get(path)
      if (before !== undefined && !IN_SECTIONS.includes(path)) throw new Error(`two parts have ${path}`)
      files.set(path, before === undefined ? text : `${before}\n${text}`)
    }
  }
  files.set('package.json', manifestOf(files.get('package.json') ?? '', parts))
  files.set('.env', environmentOf(files.get('.env.example') ?? ''))
  return files
}

/** Git ignores `.env`, so it can contain a secret key. */
function environmentOf(example: string): string {
  const [, ...paragraphs] = example.split('\n\n')
  return paragraphs.join('\n\n').replace(/^API_KEY=$/m, `API_KEY=${randomBytes(24).toString('base64url')}`)
}

/** The files below a folder: path in the project, and text. */
async function filesOf(folder: string): Promise<readonly (readonly [string, string])[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter(entry => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return Promise.all(
    paths.map(async path => [projectPath(relative(folder, path)), await readFile(path, 'utf8')] as const),
  )
}

/**
 * `_gitignore` becomes `.gitignore`. npm leaves some files that begin with a dot out of a package, and reads others
 * itself.
 */
function projectPath(path: string): string {
  return path.replaceAll('\\', '/').replace(/^_/, '.')
}
