import { readFile } from 'node:fs/promises'
import { parseJson } from '../../core/json/parse-json.ts'
import type { ImportMapping } from '../../importing/options.ts'
import { isMapping } from '../../importing/read/sheet-mapping.ts'
import { CliError } from '../cli-error.ts'

/** @throws CliError */
export async function readMapping(path: string): Promise<ImportMapping> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new CliError(`${path} cannot be read: ${error.message}`, 2, error)
  })
  try {
    const value = parseJson(text)
    if (isMapping(value)) return value
  } catch {
    // The file is not JSON.
  }
  throw new CliError(
    `${path} is no mapping: a JSON object with the field for each header, {"Airport code": "iata"}.`,
    2,
  )
}
