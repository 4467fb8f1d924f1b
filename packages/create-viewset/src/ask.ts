import type { Readable, Writable } from 'node:stream'
import { confirm, isCancel, select, text } from '@clack/prompts'
import { type Choices, DEFAULTS } from './choices.ts'
import { CliError } from './cli-error.ts'
import { DATABASES, FRAMEWORKS, type Part } from './parts.ts'
import { folderProblem } from './target.ts'

export interface Terminal {
  readonly input: Readable
  readonly output: Writable
}

/** Asks for the missing choices. @throws CliError if the user aborts */
export async function askFor(chosen: Partial<Choices>, cwd: string, terminal: Terminal): Promise<Choices> {
  const folder =
    chosen.folder ??
    (await answer(
      text({
        ...terminal,
        message: 'Into which folder?',
        placeholder: DEFAULTS.folder,
        defaultValue: DEFAULTS.folder,
        validate: given => folderProblem(given || DEFAULTS.folder, cwd),
      }),
    ))
  const database =
    chosen.database ??
    (await answer(select({ ...terminal, message: 'Which database?', options: optionsOf(DATABASES) })))
  const framework =
    chosen.framework ??
    (await answer(select({ ...terminal, message: 'Which framework?', options: optionsOf(FRAMEWORKS) })))
  const example =
    chosen.example ??
    (await answer(confirm({ ...terminal, message: 'With an example: authors and books, import, export?' })))
  const install = chosen.install ?? (await answer(confirm({ ...terminal, message: 'Install its packages?' })))
  return { folder, database, framework, example, install }
}

async function answer<T>(question: Promise<T>): Promise<Exclude<T, symbol>> {
  const given = await question
  if (isCancel(given)) throw new CliError('Nothing was written.')
  return given as Exclude<T, symbol>
}

function optionsOf<Name extends string>(known: Readonly<Record<Name, Part>>) {
  return (Object.keys(known) as Name[]).map(value => ({ value, label: known[value].label }) as const)
}
