import { spawnSync } from 'node:child_process'
import { nameOf, PARTS, type Part, type Results } from './results.ts'

/** A figure may be older than the newest change of the sources by so many days. */
const MOST_DAYS = 30
const DAY = 86_400_000

/** The day of the newest commit that changes the sources of a package, in UTC, or the reason why it is not known. */
export type Change = { readonly day: string } | { readonly unknown: string }

/** Reads git's history of the repository in a folder. */
export function newestChange(folder: string): Change {
  const git = (...args: string[]) => {
    const { status, stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' })
    return status === 0 ? stdout.trim() : undefined
  }
  // Below the root of another repository, git would show the history of that one.
  if (git('rev-parse', '--show-prefix') !== '') return { unknown: 'this folder is not the root of a git repository' }
  // In a shallow clone, the oldest commit seems to change every file.
  if (git('rev-parse', '--is-shallow-repository') !== 'false') return { unknown: 'this clone is shallow' }
  const date = git('log', '-1', '--format=%cI', '--', ':(glob)packages/*/src/**')
  return date ? { day: new Date(date).toISOString().slice(0, 10) } : { unknown: 'no commit changes packages/*/src' }
}

/** The results that are too old beside a day, each with the command that measures it again. */
export function staleResults(results: Results, changed: string): readonly string[] {
  const line = (what: string, measured: string | undefined, command: string) => {
    const day = measured?.match(/\d{4}-\d\d-\d\d$/)?.[0]
    if (day !== undefined && Date.parse(changed) - Date.parse(day) <= MOST_DAYS * DAY) return []
    return [`${what}, ${day ?? 'without a day'}: npm run bench:report -- ${command}`]
  }
  return PARTS.flatMap(part => {
    const rows: readonly Results[Part][number][] = results[part]
    const kept = rows.flatMap(row => {
      const size = part === 'growth' && 'rows' in row ? ` --rows ${row.rows}` : ''
      return row.measured === undefined ? [] : line(nameOf(row), row.measured, part + size)
    })
    return rows.length === 0 ? [] : [...line(part, results.measured[part], part), ...kept]
  })
}
