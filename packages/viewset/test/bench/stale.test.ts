import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Results, readResults } from '../../bench/support/results.ts'
import { newestChange, staleResults } from '../../bench/support/stale.ts'

const { peers, growth } = readResults()
const NONE: Results = {
  measured: {},
  cases: [],
  quick: [],
  peers: [],
  growth: [],
  lists: [],
  start: [],
  neighbours: [],
}
const on = (day: string) => `Node v24.21.0, 2 x AMD EPYC, ${day}`

describe('beside the newest change of the sources, a result', () => {
  const stale = (over: Partial<Results>) => staleResults({ ...NONE, ...over }, '2026-11-28')

  test.each(['2026-12-24', '2026-11-28', '2026-10-29'])('of %s is new enough', day => {
    expect(stale({ measured: { peers: on(day) }, peers })).toEqual([])
  })

  test('that is more than 30 days older is too old, and the command that measures its part is named', () => {
    expect(stale({ measured: { peers: on('2026-10-28') }, peers })).toEqual([
      'peers, 2026-10-28: npm run bench:report -- peers',
    ])
  })

  test('has a day', () => {
    expect(stale({ peers })).toEqual(['peers, without a day: npm run bench:report -- peers'])
  })

  test('that was not measured with its part has a day of its own', () => {
    const [first, ...others] = growth
    if (!first) throw new Error('Nothing is recorded.')
    const kept = { ...first, dialect: 'pg' as const, rows: 10_000_000, measured: on('2026-10-28') }
    expect(stale({ measured: { growth: on('2026-11-28') }, growth: [...others, kept] })).toEqual([
      'PostgreSQL, 10,000,000 rows, 2026-10-28: npm run bench:report -- growth --rows 10000000',
    ])
  })
})

describe('the newest change of the sources', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'viewset-history-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  function git(...args: string[]) {
    return execFileSync('git', args, { cwd: folder, stdio: 'pipe' })
  }

  function commit(path: string, date: string) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), date)
    git('add', '.')
    const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false']
    const environment = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
    execFileSync('git', [...identity, 'commit', '-m', path], { cwd: folder, env: environment, stdio: 'pipe' })
  }

  test('is the newest commit in src of any package, by its day in UTC', () => {
    git('init')
    commit('packages/viewset/src/a.ts', '2026-03-01T12:00:00+00:00')
    commit('packages/viewset-tools/src/deep/b.ts', '2026-04-01T23:30:00-02:00')
    commit('packages/viewset/test/a.test.ts', '2026-05-01T12:00:00+00:00')
    commit('README.md', '2026-05-02T12:00:00+00:00')
    expect(newestChange(folder)).toEqual({ day: '2026-04-02' })
  })

  test('is not known in a folder without git, and in one that lies in another repository', () => {
    const unknown = 'this folder is not the root of a git repository'
    expect(newestChange(folder)).toEqual({ unknown })
    git('init')
    commit('vendor/viewset/packages/viewset/src/a.ts', '2026-03-01T12:00:00+00:00')
    expect(newestChange(join(folder, 'vendor/viewset'))).toEqual({ unknown })
  })

  test('is not known in a shallow clone, whose oldest commit has every file', () => {
    git('init', 'whole')
    folder = join(folder, 'whole')
    commit('packages/viewset/src/a.ts', '2026-03-01T12:00:00+00:00')
    commit('README.md', '2026-05-02T12:00:00+00:00')
    folder = join(folder, '..')
    git('clone', '--depth', '1', `file://${join(folder, 'whole')}`, 'shallow')
    expect(newestChange(join(folder, 'shallow'))).toEqual({ unknown: 'this clone is shallow' })
    expect(newestChange(join(folder, 'whole'))).toEqual({ day: '2026-03-01' })
  })

  test('is not known before the first commit', () => {
    git('init')
    expect(newestChange(folder)).toEqual({ unknown: 'no commit changes packages/*/src' })
  })
})
