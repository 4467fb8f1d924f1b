// Mutation score of folders below packages/viewset/src: `npm run mutants -- store query --count 100 --seed 1`. `--tests
// reads` uses only test files with that text in their paths. With `--minutes 60`, no run begins after an hour.
//
// All mutants stand in one copy of the sources, each behind a switch. Each test file runs with another active mutant,
// so a run of the suite tries as many mutants as it has files. A mutant is tried with the files that reach it, until a
// file fails or no file is left. Quick files that reach few other mutants come first. After each run, the results are
// written to the file of `--state`. The same command continues from there.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { type Site, sitesOf, withMutants } from './mutants/sites.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    tests: { type: 'string', default: '' },
    minutes: { type: 'string', default: '90' },
    state: { type: 'string', default: '' },
  },
})
if (positionals.length === 0) {
  console.error('Name folders below packages/viewset/src: npm run mutants -- store query')
  process.exit(2)
}

const root = join(import.meta.dirname, '..')
const source = 'packages/viewset/src'

/** If no test fails after so many runs, a mutant counts as a survivor. */
const MOST_ROUNDS = 40
/** Milliseconds. Slower files are tried last, because they are seldom needed. */
const SLOW_FILE = 4_000

interface Mutant extends Site {
  readonly id: number
  readonly folder: string
  readonly path: string
  readonly line: number
  readonly original: string
  /** The test files that reach the mutant and have not been tried, the most promising one last. */
  untried: string[]
  isReached: boolean
  /** The file that failed. A time limit means an endless loop, or a busy machine. */
  killer?: { readonly path: string; readonly isTimeout: boolean }
}

interface State {
  readonly copy: string
  readonly mutants: readonly Mutant[]
  rounds: number
}

const state = values.state && existsSync(values.state) ? readState(values.state) : await begin()
const { copy, mutants } = state
await measure()
report()
if (!values.state) rmSync(copy, { recursive: true })

function readState(file: string): State {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Makes the copy with all mutants, and finds the test files that reach each of them. */
async function begin(): Promise<State> {
  const copy = mkdtempSync(join(tmpdir(), 'viewset-mutants-'))
  copyRepository(copy)
  const mutants = positionals.flatMap(drawMutants).map((mutant, id) => ({ ...mutant, id }))
  for (const [path, ofPath] of Map.groupBy(mutants, mutant => mutant.path)) {
    const text = readFileSync(join(root, source, path), 'utf8')
    writeFileSync(join(copy, source, path), withMutants(text, new Map(ofPath.map(mutant => [mutant.id, mutant]))))
  }
  console.log(`${mutants.length} mutants. First run: which files of tests reach which of them.`)
  const { passed, hits, times } = runTests(copy, {}, values.tests ? [values.tests] : [])
  const reached = new Map([...hits].filter(([path]) => passed.has(path)))
  const rank = ([path, ids]: [string, Set<number>]) => {
    const time = times.get(path) ?? 0
    return (time > SLOW_FILE ? 1_000_000 : 1) * Math.max(time, 100) * ids.size
  }
  for (const mutant of mutants) {
    const files = [...reached].filter(([, ids]) => ids.has(mutant.id))
    mutant.untried = files.toSorted((a, b) => rank(b) - rank(a)).map(([path]) => path)
    mutant.isReached = files.length > 0
  }
  return { copy, mutants, rounds: 0 }
}

/** All files of git, with links to the installed packages. The workspaces are those of the copy. */
function copyRepository(copy: string): void {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(root, file), join(copy, file), { verbatimSymlinks: true })
  }
  mkdirSync(join(copy, 'node_modules'))
  const workspaces: Readonly<Record<string, string>> = {
    viewset: 'packages/viewset',
    'viewset-faces': 'packages/viewset-faces',
    'viewset-tools': 'packages/viewset-tools',
    'create-viewset': 'packages/create-viewset',
    atlas: 'examples/atlas',
  }
  for (const name of readdirSync(join(root, 'node_modules'))) {
    const workspace = workspaces[name]
    symlinkSync(join(workspace ? copy : root, workspace ?? `node_modules/${name}`), join(copy, 'node_modules', name))
  }
  cpSync(join(import.meta.dirname, 'mutants/setup.ts'), join(copy, 'mutants-setup.ts'))
  writeFileSync(
    join(copy, 'vitest.mutants.config.ts'),
    `import config from './vitest.config.ts'
    const { test } = config
    const setup = ${JSON.stringify(join(copy, 'mutants-setup.ts'))}
    const projects = test.projects.map(project => ({
      test: { ...project.test, testTimeout: 30_000, setupFiles: [...project.test.setupFiles, setup] },
    }))
    export default { ...config, test: { ...test, projects } }`,
  )
}

/** Some mutants of a folder, none inside another one. The same seed draws the same mutants. */
function drawMutants(folder: string): Mutant[] {
  const random = randomOf(Number(values.seed))
  const all = globSync('**/*.ts', { cwd: join(root, source, folder) })
    .toSorted()
    .flatMap(name => {
      const path = join(folder, name)
      const text = readFileSync(join(root, source, path), 'utf8')
      return sitesOf(text).map(site => ({ ...site, path, text, rank: random() }))
    })
  const drawn: typeof all = []
  for (const site of all.toSorted((a, b) => a.rank - b.rank)) {
    if (drawn.length === Number(values.count)) break
    if (!drawn.some(({ path, start, end }) => path === site.path && start < site.end && site.start < end))
      drawn.push(site)
  }
  return drawn.map(({ text, rank, ...site }) => ({
    ...site,
    id: -1,
    folder,
    line: text.slice(0, site.start).split('\n').length,
    original: text.slice(site.start, site.end),
    untried: [],
    isReached: false,
  }))
}

/** Numbers from 0 to 1, from a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

async function measure(): Promise<void> {
  for (; state.rounds < MOST_ROUNDS && performance.now() < Number(values.minutes) * 60_000; state.rounds++) {
    if (values.state) writeFileSync(values.state, JSON.stringify(state))
    const plan: Record<string, Mutant> = {}
    for (const mutant of mutants) {
      if (mutant.killer) continue
      const file = mutant.untried.findLast(path => !(path in plan))
      if (!file) continue
      plan[file] = mutant
      mutant.untried.splice(mutant.untried.indexOf(file), 1)
    }
    const files = Object.keys(plan)
    if (files.length === 0) break
    const outcome = runTests(copy, Object.fromEntries(files.map(path => [path, (plan[path] as Mutant).id])))
    for (const [path, mutant] of Object.entries(plan)) {
      if (outcome.passed.has(path)) continue
      mutant.killer = { path: relative(copy, path), isTimeout: outcome.timedOut.has(path) }
    }
    const left = mutants.filter(({ killer, isReached }) => isReached && !killer)
    console.log(`Round ${state.rounds + 1}: ${files.length} files; ${left.length} mutants are left.`)
  }
}

/** Runs the files of a plan, each with its active mutant. Without a plan, runs all files without a mutant. */
function runTests(copy: string, plan: Readonly<Record<string, number>>, files: readonly string[] = Object.keys(plan)) {
  const at = (name: string) => join(copy, name)
  writeFileSync(at('mutants-plan.json'), JSON.stringify(plan))
  writeFileSync(at('mutants-hits.txt'), '')
  rmSync(at('mutants-result.json'), { force: true })
  const args = ['run', '--config', 'vitest.mutants.config.ts', '--reporter=json', '--outputFile=mutants-result.json']
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  spawnSync(process.execPath, [vitest, ...args, ...files], {
    cwd: copy,
    stdio: 'ignore',
    timeout: 20 * 60_000,
    env: {
      ...process.env,
      VIEWSET_MUTANTS_PLAN: at('mutants-plan.json'),
      VIEWSET_MUTANTS_HITS: at('mutants-hits.txt'),
    },
  })
  const { testResults } = JSON.parse(readFileSync(at('mutants-result.json'), 'utf8')) as {
    readonly testResults: readonly {
      readonly name: string
      readonly status: string
      readonly startTime: number
      readonly endTime: number
      readonly assertionResults: readonly { readonly failureMessages?: readonly string[] | null }[]
    }[]
  }
  const lines = readFileSync(at('mutants-hits.txt'), 'utf8').trim().split('\n').filter(Boolean)
  const hits = new Map(
    lines.map(line => {
      const { path, hits } = JSON.parse(line) as { readonly path: string; readonly hits: readonly number[] }
      return [path, new Set(hits)]
    }),
  )
  const filesWhere = (holds: (result: (typeof testResults)[number]) => boolean) =>
    new Set(testResults.filter(holds).map(({ name }) => name))
  return {
    passed: filesWhere(({ status }) => status === 'passed'),
    timedOut: filesWhere(({ assertionResults }) =>
      assertionResults.some(({ failureMessages }) => failureMessages?.some(text => text.includes('timed out in'))),
    ),
    hits,
    times: new Map(testResults.map(({ name, startTime, endTime }) => [name, endTime - startTime])),
  }
}

function report(): void {
  const short = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 100)
  for (const [folder, ofFolder] of Map.groupBy(mutants, mutant => mutant.folder)) {
    const killed = ofFolder.filter(({ killer }) => killer)
    console.log(`\n## ${folder}: ${killed.length} of ${ofFolder.length} mutants killed`)
    for (const { path, line, original, replacement, isReached, killer } of ofFolder) {
      if (killer && !killer.isTimeout) continue
      const note = killer ? ` (${killer.path} took too long)` : isReached ? '' : ' (not reached)'
      console.log(`- ${path}:${line} \`${short(original)}\` -> \`${short(replacement)}\`${note}`)
    }
  }
}
