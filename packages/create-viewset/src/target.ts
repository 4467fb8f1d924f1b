import { readdirSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { CliError } from './cli-error.ts'
import { VERSIONS } from './versions.ts'

/** The folder and the name of a project. */
export interface Target {
  readonly path: string
  /** A valid npm name. */
  readonly name: string
}

/** @throws CliError with a remedy */
export function targetOf(folder: string, cwd: string): Target {
  const problem = folderProblem(folder, cwd)
  if (problem !== undefined) throw new CliError(problem)
  const path = resolve(cwd, folder)
  return { path, name: nameOf(path) }
}

/** The reason why no project can be written into this folder, with a remedy. */
export function folderProblem(folder: string, cwd: string): string | undefined {
  const path = resolve(cwd, folder)
  const name = nameOf(path)
  if (name === '') return `npm needs a name with letters from a to z or digits; choose another than ${folder}.`
  if (name === 'node_modules') return 'Node runs no TypeScript below node_modules; choose another name.'
  if (Object.hasOwn(VERSIONS, name))
    return `The project would be called like the package ${name}, which it needs; choose another name.`
  try {
    return contentProblem(folder, path)
  } catch (error) {
    // For example, the folder belongs to another user, or its name is too long.
    return `The folder ${folder} cannot be read: ${(error as Error).message}. Choose another one.`
  }
}

function contentProblem(folder: string, path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  if (!stat.isDirectory()) return `${folder} is a file; choose another name.`
  // A new repository counts as empty.
  const [first, ...more] = readdirSync(path).filter(entry => entry !== '.git')
  if (first === undefined) return undefined
  const rest = more.length > 0 ? ` and ${more.length} more` : ''
  return `The folder ${folder} is not empty: it has ${first}${rest}. Choose another one, or empty it first.`
}

/** A valid npm name: lower case, no marks, and only letters, digits, `-`, `_` and `.`. */
function nameOf(path: string): string {
  return basename(path)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '')
}
