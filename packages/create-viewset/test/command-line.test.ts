import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HELP } from '../src/parse.ts'
import { DATABASES, FRAMEWORKS } from '../src/parts.ts'
import { run } from '../src/run.ts'

let cwd: string
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'create-viewset-'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

/** Runs a command line where nobody can be asked. Returns what it prints. */
async function create(...args: readonly string[]): Promise<string> {
  const printed: string[] = []
  await run(args, { cwd, terminal: undefined, print: text => printed.push(text) })
  return printed.join('\n')
}

const manifestOf = async (folder: string) => JSON.parse(await readFile(join(cwd, folder, 'package.json'), 'utf8'))

describe('a command line', () => {
  test('writes a project of defaults where nobody can be asked, and says what to do next', async () => {
    expect(await create('shop', '--no-install')).toBe(`shop is written, with fastify and sqlite.
Start it, with a few books:

  cd shop
  npm install
  npm run seed
  npm start

Then ask it from a second terminal:

  curl "http://127.0.0.1:3000/api/books/?search=austen"

http://127.0.0.1:3000/api/docs/ shows the API in a browser.
README.md has the next steps.`)
    expect(await readdir(cwd)).toEqual(['shop'])
  })

  test('may name nothing: the folder has a default, too', async () => {
    await create('--yes', '--no-install')
    expect((await manifestOf('my-api')).name).toBe('my-api')
  })

  test('says how to start the database, where that is PostgreSQL', async () => {
    const printed = await create('shop', '--database', 'postgres', '--no-example', '--no-install')
    expect(printed).toContain('\n  docker compose up --detach --wait database\n  npm start\n')
    expect(printed).toContain('curl "http://127.0.0.1:3000/api/"\n')
    expect(Object.keys((await manifestOf('shop')).dependencies)).toContain('pg')
  })

  test('prints what it takes', async () => {
    expect(await create('--help')).toBe(HELP)
    for (const name of [...Object.keys(DATABASES), ...Object.keys(FRAMEWORKS)]) expect(HELP).toContain(name)
    expect(await readdir(cwd)).toEqual([])
  })

  const options = 'The options are --database, --framework, --example, --install, --yes, --help; see --help.'
  test.each([
    [['--frob'], `Unknown option '--frob'. ${options}`],
    [['--database'], `Option '--database <value>' argument missing. ${options}`],
    [['--database', 'oracle'], `--database oracle is not known. Choose one of: ${Object.keys(DATABASES).join(', ')}.`],
    [['--framework', 'Rails'], `--framework Rails is not known. Choose one of: ${Object.keys(FRAMEWORKS).join(', ')}.`],
    [['a', 'b', 'c'], 'One folder at a time; what is "b c"? See --help.'],
  ])('%j is refused', async (args, message) => {
    await expect(create(...args)).rejects.toMatchObject({ name: 'CliError', exitCode: 2, message })
    expect(await readdir(cwd)).toEqual([])
  })
})

describe('the folder', () => {
  test('may be a path, and the project has its last name as npm takes it', async () => {
    expect(await create('services/Öl & Gas 2', '--no-install')).toContain("\n  cd 'services/Öl & Gas 2'\n")
    expect((await manifestOf('services/Öl & Gas 2')).name).toBe('ol-gas-2')
    await create('Straße', '--no-install')
    expect((await manifestOf('Straße')).name).toBe('strasse')
  })

  test('is said so that a shell takes its name for nothing else', async () => {
    const name = `it's "$(touch ran)" \`touch ran\``
    const printed = await create(name, '--no-install')
    const [command = ''] = /^ {2}cd .*$/m.exec(printed) ?? []
    const { stdout } = await promisify(execFile)('sh', ['-c', `${command} && pwd`], { cwd })
    expect(stdout).toBe(`${join(await realpath(cwd), name)}\n`)
    expect(await readdir(cwd)).toEqual([name])
  })

  test('may be this one, if it has nothing but a new repository', async () => {
    await mkdir(join(cwd, 'here/.git'), { recursive: true })
    cwd = join(cwd, 'here')
    expect(await create('.', '--no-install')).not.toContain('cd ')
    expect((await manifestOf('.')).name).toBe('here')
    cwd = join(cwd, '..')
  })

  test.each([
    ['full', 'The folder full is not empty: it has a.txt and 1 more. Choose another one, or empty it first.'],
    ['full/a.txt', 'full/a.txt is a file; choose another name.'],
    ['full/a.txt/shop', /^The project cannot be written: ENOTDIR: not a directory, mkdir '.+'\.$/],
    ['fastify', 'The project would be called like the package fastify, which it needs; choose another name.'],
    ['node_modules', 'Node runs no TypeScript below node_modules; choose another name.'],
    ['n'.repeat(256), /^The folder n+ cannot be read: ENAMETOOLONG: name too long, .+\. Choose another one\.$/],
    ['店', 'npm needs a name with letters from a to z or digits; choose another than 店.'],
  ])('%s is refused, and loses nothing', async (folder, message) => {
    await mkdir(join(cwd, 'full'))
    await writeFile(join(cwd, 'full/a.txt'), 'mine')
    await writeFile(join(cwd, 'full/b.txt'), 'mine')
    await expect(create(folder)).rejects.toMatchObject({
      name: 'CliError',
      exitCode: 1,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    })
    expect(await readdir(cwd, { recursive: true })).toEqual(['full', 'full/a.txt', 'full/b.txt'])
    expect(await readFile(join(cwd, 'full/a.txt'), 'utf8')).toBe('mine')
  })
})

describe('the questions', () => {
  const ENTER = '\r'
  const DOWN = '\u001b[B'

  /** Runs a command line, and presses the keys as each question comes. */
  async function answer(args: readonly string[], answers: Readonly<Record<string, string>>): Promise<string> {
    const input = new PassThrough()
    const output = new PassThrough()
    const left = new Map(Object.entries(answers))
    let shown = ''
    output.on('data', chunk => {
      shown += chunk
      const [asked] = [...left].filter(([question]) => shown.includes(question))
      if (!asked) return
      left.delete(asked[0])
      // The prompt listens when it has been drawn.
      setImmediate(() => {
        for (const key of asked[1].split(' ')) input.write(key)
      })
    })
    await run(args, { cwd, terminal: { input, output }, print: text => output.push(text) })
    expect([...left.keys()]).toEqual([])
    return shown
  }

  test('are about all that the command line leaves open', async () => {
    await answer([], {
      'Into which folder?': `shop ${ENTER}`,
      'Which database?': `${DOWN} ${ENTER}`,
      'Which framework?': ENTER,
      'With an example': ENTER,
      'Install its packages?': 'n',
    })
    expect((await manifestOf('shop')).dependencies).toHaveProperty('pg')
    expect(await readdir(join(cwd, 'shop'))).toContain('books.csv')
  })

  test('are about nothing else', async () => {
    const shown = await answer(['shop', '--no-install', '--framework', 'fastify', '--database', 'sqlite'], {
      'With an example': 'n',
    })
    expect(shown).not.toMatch(/Into which|Which|Install/)
    expect(await readdir(join(cwd, 'shop'))).not.toContain('books.csv')
  })

  test('may be left, which writes nothing', async () => {
    const asked = answer(['shop'], { 'Which database?': '\u0003' })
    await expect(asked).rejects.toMatchObject({ name: 'CliError', message: 'Nothing was written.' })
    expect(await readdir(cwd)).toEqual([])
  })
})

describe('the command', () => {
  const main = join(import.meta.dirname, '../src/main.ts')
  const command = (options: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    promisify(execFile)(process.execPath, [...options, main, 'shop'], { cwd, env: { ...process.env, ...env } })

  test('says that its Node is too old, in a sentence', async () => {
    const old = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.20.2"})'
    await expect(command(['--import', old])).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: `create-viewset needs Node 22.18 or newer, which runs TypeScript as it is; this is ${process.version}.\n`,
    })
    expect(await readdir(cwd)).toEqual([])
  })

  test('keeps the project where its packages cannot be had, and says what to do', async () => {
    const away = { npm_config_offline: 'true', npm_config_cache: join(cwd, 'cache') }
    const failed = await command([], away).catch((error: unknown) => error)
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('npm install has failed; nothing else is missing. When it can work:\n'),
    })
    expect(failed).toMatchObject({
      stderr: expect.stringContaining('\n  cd shop\n  npm install\n  npm run seed\n  npm start\n'),
    })
    expect((await manifestOf('shop')).name).toBe('shop')
  })
})
