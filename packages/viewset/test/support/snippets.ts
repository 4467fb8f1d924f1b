import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { CONDITIONS, START_OPTIONS } from './node-options.ts'

/*
 * The guide's code as a program. Of each page, README.md, docs/*.md and docs/cookbook/*.md, but for PROJECT_PAGES:
 *
 * - the ```ts blocks, in their order, are one module. Behind the comment NEXT_PROGRAM begins another one;
 * - a block with ```ts file=name.ts is a file of that name instead, which the modules of all pages can import. A page of
 *   the cookbook is a program of its own: it has its own schema.ts, and of other pages only what makes the tables;
 * - each console.log says what it prints: in a comment behind it, or in the ```json block that follows the code. In
 *   such JSON "…" stands for anything: a value, a part of a text, further items of an array, further keys ("…": "…").
 *
 * The files keep the line numbers of their page, so that errors lead to the right place.
 */

const run = promisify(execFile)

export const root = join(import.meta.dirname, '../../../..')
export const packageRoot = join(import.meta.dirname, '../..')

/** Pages that are followed in a terminal, up to a heading: `packages/create-viewset/test/pages.test.ts`. */
export const PROJECT_PAGES: Readonly<Record<string, string | undefined>> = {
  'README.md': '## Six reasons',
  'docs/getting-started.md': undefined,
  'docs/tutorial.md': undefined,
}

const README = 'README.md'
export const OWN_API = 'docs/your-own-api.md'
/** Pages that are complete in themselves. */
const STANDALONE: readonly string[] = [README, OWN_API]
const COOKBOOK = 'docs/cookbook/'

const NEXT_PROGRAM = '<!-- another program -->'

/** What makes the tables of `schema.ts`, in every program the same. */
const TABLE_MAKERS: readonly string[] = ['drizzle.config.ts', 'migrate.ts']

/** The repository's own tools come first, as in its scripts. */
export const env = { ...process.env, PATH: [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter) }

export interface Expectation {
  /** Where the console.log stands in its page. */
  readonly line: number
  readonly expected: unknown
}

export interface Page {
  /** Path in the repository. */
  readonly path: string
  readonly text: string
  /** The module, empty lines where the page has no code. */
  readonly module: string
  readonly files: ReadonlyMap<string, string>
  readonly expectations: readonly Expectation[]
}

export interface Block {
  readonly language: string
  readonly info: string
  /** Index of the first line of code. */
  readonly start: number
  readonly lines: readonly string[]
}

export async function readPages(): Promise<readonly Page[]> {
  const all = [README, ...(await pathsIn('docs/')), ...(await pathsIn(COOKBOOK))]
  const paths = all.filter(path => !(path in PROJECT_PAGES) || PROJECT_PAGES[path] !== undefined)
  const texts = await Promise.all(paths.map(path => readFile(join(root, path), 'utf8')))
  return paths.flatMap((path, index) => programsOf(path, behind(path, texts[index] ?? '')))
}

/** The programs of a page. The second one of `docs/models.md` is `docs/models.2.md`. All have the line numbers of the page. */
export function programsOf(path: string, text: string): readonly Page[] {
  const parts = text.split(NEXT_PROGRAM)
  return parts.map((part, index) => {
    const before = parts.slice(0, index).join(NEXT_PROGRAM).replace(/.+/g, '')
    return readPage(index === 0 ? path : path.replace(/\.md$/, `.${index + 1}.md`), before + part)
  })
}

/** A page without what is followed in a terminal, with the line numbers of the page. */
function behind(path: string, text: string): string {
  const start = text.indexOf(PROJECT_PAGES[path] ?? text)
  return text.slice(0, start).replace(/.+/g, '') + text.slice(start)
}

async function pathsIn(folder: string): Promise<readonly string[]> {
  const names = (await readdir(join(root, folder))).filter(name => name.endsWith('.md'))
  return names.toSorted().map(name => folder + name)
}

/** An import with the comment that names the module for PostgreSQL. */
const FOR_POSTGRES = /'[\w/-]+'( \/\/ on PostgreSQL: )('[\w/-]+')/g

/** A recipe on PostgreSQL: with the imports that its comments name. `undefined` for a page without them or without a test. */
export function onPostgres(page: Page): Page | undefined {
  const isRecipe = page.path.startsWith(COOKBOOK) && page.module.includes('startApi({')
  if (!isRecipe || page.text.search(FOR_POSTGRES) === -1) return undefined
  const change = (text: string) =>
    text
      .replace(FOR_POSTGRES, '$2$1$2')
      .replace('startApi({', "startApi({ postgres: process.env.VIEWSET_POSTGRES ?? '',")
  return {
    ...page,
    path: page.path.replace(/\.md$/, '.pg.md'),
    module: change(page.module),
    files: new Map([...page.files].map(([name, text]) => [name, change(text)])),
  }
}

export function readPage(path: string, text: string): Page {
  const blocks = blocksOf(path, text)
  const files = new Map<string, string>()
  const code: Block[] = []
  for (const block of blocks) {
    if (block.language !== 'ts') continue
    const name = /^file=([\w.-]+\.ts)$/.exec(block.info)?.[1]
    if (block.info !== '' && !name) throw new Error(`${path}:${block.start}: "${block.info}" is not file=name.ts`)
    if (name && files.has(name)) throw new Error(`${path}:${block.start}: there is a ${name} already`)
    if (name) files.set(name, inPlace([block]))
    else code.push(block)
  }
  return { path, text, module: inPlace(code), files, expectations: expectationsOf(path, blocks) }
}

export function blocksOf(path: string, text: string): readonly Block[] {
  const blocks: Block[] = []
  let open: { language: string; info: string; start: number; lines: string[] } | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const [, language, info = ''] = /^```(\w*) ?(.*)$/.exec(line) ?? []
    if (language === undefined) open?.lines.push(line)
    else if (open) {
      blocks.push(open)
      open = undefined
    } else open = { language, info, start: index + 1, lines: [] }
  }
  if (open) throw new Error(`${path}:${open.start}: this block has no end`)
  return blocks
}

function inPlace(blocks: readonly Block[]): string {
  const lines: string[] = []
  for (const block of blocks) {
    while (lines.length < block.start) lines.push('')
    lines.push(...block.lines)
  }
  return `${lines.join('\n')}\n`
}

function expectationsOf(path: string, blocks: readonly Block[]): readonly Expectation[] {
  const expectations: Expectation[] = []
  for (let i = 0; i < blocks.length; i++) {
    const { language, info, lines, start } = blocks[i] as Block
    if (language === 'json') throw new Error(`${path}:${start}: no console.log prints this`)
    if (language !== 'ts' || info !== '') continue
    for (const [index, text] of lines.entries()) {
      if (!text.includes('console.log(')) continue
      const line = start + index + 1
      const comment = /\) \/\/ (.+)$/.exec(text)?.[1]
      const next = blocks[i + 1]
      if (comment !== undefined) expectations.push({ line, expected: literal(comment) })
      else if (next?.language === 'json') {
        expectations.push({ line, expected: JSON.parse(next.lines.join('\n')) })
        i++
      } else throw new Error(`${path}:${line}: nothing says what this prints`)
    }
  }
  return expectations
}

function literal(comment: string): unknown {
  try {
    return JSON.parse(/^'.*'$/.test(comment) ? JSON.stringify(comment.slice(1, -1)) : comment)
  } catch {
    return comment
  }
}

/** Whether a value is what a page says; `…` is explained at the top. */
export function isAsSaid(said: unknown, value: unknown): boolean {
  if (said === '…') return true
  if (typeof said === 'string' && typeof value === 'string') {
    return new RegExp(`^${said.split('…').map(escaped).join('.*')}$`, 's').test(value)
  }
  if (Array.isArray(said) && Array.isArray(value)) {
    const isOpen = said.length > 1 && said.at(-1) === '…'
    const items = isOpen ? said.slice(0, -1) : said
    if (isOpen ? value.length < items.length : value.length !== items.length) return false
    return items.every((item, index) => isAsSaid(item, value[index]))
  }
  if (isObject(said) && isObject(value)) {
    const keys = Object.keys(said).filter(key => key !== '…')
    if (!('…' in said) && keys.join() !== Object.keys(value).join()) return false
    return keys.every(key => Object.hasOwn(value, key) && isAsSaid(said[key], value[key]))
  }
  return Object.is(said, value)
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Runs before a page: what it prints goes to a file, and a server that listens, for this machine only, does not keep it running. */
const PRELOAD = `
import { appendFileSync } from 'node:fs'
import { Server } from 'node:net'
console.log = (...values) => {
  if (values.length !== 1) throw new Error('console.log prints one value here')
  appendFileSync('printed.jsonl', (JSON.stringify(values[0]) ?? '"undefined"') + '\\n')
}
const listen = Server.prototype.listen
Server.prototype.listen = function (options, ...rest) {
  return listen.call(this, { host: '127.0.0.1', ...options, port: 0 }, ...rest).unref()
}
`

/** The pages as programs, in folders of their own inside the package, so that `viewset` is this package. */
export class Snippets {
  readonly pages: readonly Page[]
  readonly #folder: string
  readonly #migrations = new Map<string, Promise<string>>()

  private constructor(pages: readonly Page[], folder: string) {
    this.pages = pages
    this.#folder = folder
  }

  static async write(pages: readonly Page[]): Promise<Snippets> {
    const snippets = new Snippets(pages, await mkdtemp(join(packageRoot, '.snippets-')))
    await snippets.#write()
    return snippets
  }

  async #write(): Promise<void> {
    await writeFile(join(this.#folder, '.gitignore'), '*\n')
    const own = this.pages.filter(hasOwnFace).map(page => this.#folderOf(page))
    await writeTsconfig(this.#folder, { include: ['*/*.ts'], exclude: own })
    await writeFile(join(this.#folder, 'preload.mjs'), PRELOAD)
    const shared = new Map<string, string>()
    for (const page of this.pages.filter(({ path }) => isShared(path))) {
      for (const [name, text] of page.files) {
        if (shared.has(name)) throw new Error(`${page.path}: another page has a ${name} already`)
        shared.set(name, text)
      }
    }
    for (const page of this.pages) {
      const folder = this.#folderOf(page)
      await mkdir(folder)
      for (const [name, text] of filesFor(page, othersFor(page, shared))) await writeFile(join(folder, name), text)
      await writeFile(join(folder, moduleName(page)), `export {};${page.module}`)
      if (hasOwnFace(page)) await writeTsconfig(folder, { files: [moduleName(page)] })
    }
  }

  /** Type-checks all pages. Returns the compiler's complaints, which name the line of the page. */
  async compile(): Promise<string> {
    const own = this.pages.filter(hasOwnFace).map(page => this.#folderOf(page))
    const complaints = [this.#folder, ...own].map(program =>
      run('tsc', ['-p', program, '--pretty', 'false'], { cwd: this.#folder, env }).then(
        () => '',
        (error: { stdout: string }) => error.stdout || String(error),
      ),
    )
    return (await Promise.all(complaints)).join('')
  }

  /** Runs a page on a database of its own, as the guide tells to make one. Returns what it prints. */
  async run(page: Page, postgres = ''): Promise<readonly unknown[]> {
    const cwd = this.#folderOf(page)
    const options = { cwd, env: { ...env, VIEWSET_POSTGRES: postgres }, timeout: 60_000 }
    const tables = hasOwnDatabase(page) ? [] : ['--import', './migrate.ts']
    if (tables.length > 0) await cp(await this.#migrationsOf(cwd), join(cwd, 'migrations'), { recursive: true })
    await writeFile(join(cwd, 'printed.jsonl'), '')
    const args = [...START_OPTIONS, ...tables, '--import', '../preload.mjs', moduleName(page)]
    await run(process.execPath, args, options).catch((error: Error & { readonly stdout?: string }) => {
      // A page's own tests say there what is wrong.
      throw new Error(`${error.message}\n${error.stdout ?? ''}`, { cause: error })
    })
    const printed = await readFile(join(cwd, 'printed.jsonl'), 'utf8')
    return printed.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line) as unknown]))
  }

  /** The folder with the migrations that drizzle-kit writes for the schema of a page: all of the guide have the same. */
  async #migrationsOf(cwd: string): Promise<string> {
    const schema = await readFile(join(cwd, 'schema.ts'), 'utf8')
    let made = this.#migrations.get(schema)
    if (made === undefined) {
      const copy = join(this.#folder, `migrations-${this.#migrations.size}`)
      const options = { cwd, env: { ...env, NODE_OPTIONS: CONDITIONS } }
      made = run('drizzle-kit', ['generate', '--config', 'drizzle.config.ts'], options)
        .then(() => rename(join(cwd, 'migrations'), copy))
        .then(() => copy)
      this.#migrations.set(schema, made)
    }
    return made
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }

  #folderOf(page: Page): string {
    return join(this.#folder, page.path.replaceAll('/', '-').replace('.md', ''))
  }
}

/** A page whose files the other pages can import. */
function isShared(path: string): boolean {
  return !STANDALONE.includes(path) && !path.startsWith(COOKBOOK)
}

/** What a view sees of the server's request is of the face that a program imports: other faces are other programs. */
function hasOwnFace({ module, files }: Page): boolean {
  return [module, ...files.values()].some(text => /from 'viewset\/(fetch|node)'/.test(text))
}

/** A recipe or README that is shown as a test: `startApi` makes its tables. */
function hasOwnDatabase({ path, module }: Page): boolean {
  return (path === README || path.startsWith(COOKBOOK)) && module.includes('startApi(')
}

async function writeTsconfig(folder: string, program: object): Promise<void> {
  const base = join(root, 'tsconfig.base.json')
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ extends: base, ...program }))
}

/** The files of other pages that a page can import. */
function othersFor({ path }: Page, shared: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  if (STANDALONE.includes(path)) return new Map()
  return new Map([...shared].filter(([name]) => !path.startsWith(COOKBOOK) || TABLE_MAKERS.includes(name)))
}

/** The files that a page needs: its own, and of others those that it names, and that they name. */
function filesFor(page: Page, others: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const files = new Map(page.files)
  const add = (name: string): void => {
    const text = others.get(name)
    if (text === undefined || files.has(name)) return
    files.set(name, text)
    addNamed(text)
  }
  const addNamed = (text: string) => {
    for (const [, name = ''] of text.matchAll(/'\.\/([\w.-]+\.ts)'/g)) add(name)
  }
  for (const name of TABLE_MAKERS) add(name)
  for (const text of [page.module, ...page.files.values()]) addNamed(text)
  return files
}

function moduleName(page: Page): string {
  return `${basename(page.path, '.md')}.page.ts`
}
