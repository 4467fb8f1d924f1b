import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { OnConflict } from '../../importing/edit/on-conflict.ts'
import type { HeaderRows } from '../../importing/read/header-rows.ts'
import { withFile } from '../../importing/read/import-source.ts'
import { type ImportRequest, readingOf } from '../../viewset/files/import-request.ts'
import { CliError } from '../cli-error.ts'
import type { ViewsetConfig } from '../config.ts'
import { findResource } from '../find-resource.ts'
import { Interruption } from '../interruption.ts'
import { withOperatorView } from '../operator-view.ts'
import type { Printed } from '../printed.ts'
import type { OutputOptions } from '../write-file.ts'
import { failedRowsPath } from './failed-rows-path.ts'
import { IMPORTS } from './generate-import-template.ts'
import { type ImportView, performImport } from './perform-import.ts'
import { readMapping, readValues } from './read-json.ts'

export interface ImportCommandOptions extends OutputOptions {
  readonly resource: string
  readonly append: boolean
  readonly dryRun: boolean
  readonly diff: boolean
  readonly allOrNothing: boolean
  readonly failOnWarnings: boolean
  readonly onConflict: OnConflict | undefined
  readonly deleteMarked: boolean
  /** The path for the failed rows. Default: beside the file. */
  readonly failedRows: string | undefined
  /** The path of a JSON file with a mapping. */
  readonly mapping: string | undefined
  readonly headerRow: HeaderRows | undefined
  /** The path of a JSON file with other values for cells. */
  readonly values: string | undefined
  readonly locale: string | undefined
  readonly encoding: string | undefined
  readonly user: string | undefined
  readonly json: boolean
}

/**
 * Imports a file into a resource.
 *
 * @param file its path, or `-` for standard input
 * @throws CliError; ApiError for a refused file; ConfigError
 */
export async function importFile(config: ViewsetConfig, file: string, options: ImportCommandOptions): Promise<Printed> {
  const { cwd, resource: name, append, dryRun, diff, allOrNothing, failOnWarnings, deleteMarked, onConflict } = options
  const { user, json } = options
  const { resource } = findResource(config.resources, name, IMPORTS)
  const mapping = await readMapping(cwd, options.mapping)
  const values = await readValues(cwd, options.values)
  const { headerRow, locale, encoding } = options
  const reading = readingOf({ mapping, headerRow, values, locale, encoding })
  const target = failedRowsPath({ ...options, file, asked: options.failedRows })
  const interruption = new Interruption()
  const { signal } = interruption
  const run = (path: string, filename: string, size: number) => {
    const input = { query: {}, search: '', body: undefined, signal }
    return withOperatorView(config, resource, { name, action: 'importFile', user, input }, view => {
      const request: ImportRequest = {
        file: { filename, size },
        append,
        dryRun,
        diff,
        allOrNothing,
        failOnWarnings,
        failedRows: true,
        deleteMarked,
        background: false,
        ...(onConflict && { onConflict }),
        ...reading,
      }
      // `findResource` has checked that the class has the mixin.
      return performImport(view as typeof view & ImportView, path, request, { name, target, signal, json })
    })
  }
  try {
    if (file === '-') {
      return await withFile(process.stdin, Number.POSITIVE_INFINITY, signal, path => run(path, 'Standard input', 0))
    }
    const path = resolve(cwd, file)
    const found = await stat(path).catch(() => {
      throw new CliError(`There is no file ${path}.`, 2)
    })
    if (found.isDirectory()) throw new CliError(`${path} is a folder; name one of its files.`, 2)
    return await run(path, basename(path), found.size)
  } finally {
    interruption.end()
  }
}
