import { join, relative } from 'node:path'
import type { Tokens } from './users.ts'

/** Two cities, and one with errors. */
const FILE = join(import.meta.dirname, '../files/cities.csv')

interface Started {
  readonly address: string
  readonly description: string
  readonly seconds: number
  readonly tokens: Tokens
  /** The folder in which the user has run npm. */
  readonly folder: string
}

/** What the atlas prints at its start: its addresses and tokens, and commands to try. */
export function welcome({ address, description, seconds, tokens, folder }: Started): string {
  return `Atlas is ready after ${seconds.toFixed(1)} s: ${address}/api/ (${description})
  reference page: ${address}/api/docs/
  admin token:    ${tokens.admin}
  reader token:   ${tokens.reader}
Try a list and an import (dry run) in a second terminal, in the same folder:
  curl '${address}/api/cities/?country__code=NO&page_size=3'
  curl '${address}/api/cities/import-from-file/' \\
    -H 'Authorization: Bearer ${tokens.admin}' -F append_data=true -F dry_run=true \\
    -F 'file=@${relative(folder, FILE)}'`
}
