import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseJson } from '../../core/json/parse-json.ts'
import { isImportValues } from '../../importing/read/cell-values.ts'
import { isMapping } from '../../importing/read/sheet-mapping.ts'
import { CliError } from '../cli-error.ts'

/** Reads the file of an option such as `--mapping`. @throws CliError */
type ReadJson<T> = (cwd: string, path: string | undefined) => Promise<T | undefined>

export const readMapping = jsonFile(
  isMapping,
  'is no mapping: a JSON object with the field for each header, {"Airport code": "iata"}.',
)

export const readValues = jsonFile(
  isImportValues,
  'has no values: a JSON object with the values by header and text, {"Country": {"Norge": "NO"}}.',
)

function jsonFile<T>(isRight: (value: unknown) => value is T, problem: string): ReadJson<T> {
  return async (cwd, name) => {
    if (name === undefined) return undefined
    const path = resolve(cwd, name)
    const text = await readFile(path, 'utf8').catch((error: Error) => {
      throw new CliError(`${path} cannot be read: ${error.message}`, 2, error)
    })
    try {
      const value = parseJson(text)
      if (isRight(value)) return value
    } catch {
      // The file is not JSON.
    }
    throw new CliError(`${path} ${problem}`, 2)
  }
}
