import { parse } from 'node:querystring'
import { pipeline } from 'node:stream/promises'
import { inEnglish } from '../../core/messages/message.ts'
import { endpointsOf } from '../../viewset/endpoints/endpoints.ts'
import { listening } from '../../viewset/files/listeners.ts'
import type { GenericViewSet } from '../../viewset/generic-viewset.ts'
import type { AnyResourceClass } from '../../viewset/mixin.ts'
import type { MethodsOf } from '../../viewset/mixin-types.ts'
import { FileExportMixin } from '../../viewset/mixins/file-export-mixin.ts'
import { CliError } from '../cli-error.ts'
import type { ViewsetConfig } from '../config.ts'
import { findResource } from '../find-resource.ts'
import { Interruption } from '../interruption.ts'
import { withOperatorView } from '../operator-view.ts'
import { INTERRUPTED } from '../strictly.ts'
import { type OutputOptions, writeFile } from '../write-file.ts'
import { Progress } from './progress.ts'

export interface ExportCommandOptions extends OutputOptions {
  readonly resource: string
  readonly format: string
  /** A path, or `-` for standard output. Default: the name of a download. */
  readonly output: string | undefined
  /** Separated by commas. */
  readonly fields: string | undefined
  /** Filters and ordering, as in a query string. */
  readonly query: string
  readonly forEditing: boolean
  readonly user: string | undefined
}

type ExportView = Pick<MethodsOf<'FileExportMixin'>, 'export'>
const EXPORTS = { mixin: FileExportMixin, lacking: 'exports no files; make it with BaseViewSet or FileExportMixin' }

/** Exports a resource's records as a file. @returns the text to print @throws CliError; ApiError; ConfigError */
export async function exportFile(config: ViewsetConfig, options: ExportCommandOptions): Promise<string> {
  const { resource: name, format, fields, query, forEditing, user, output, ...target } = options
  const { resource } = findResource(config.resources, name, EXPORTS)
  const interruption = new Interruption()
  const { signal } = interruption
  const search = query.replace(/^\?/, '')
  const body = {
    file_type: format,
    ...(forEditing && { for_editing: true }),
    ...(fields !== undefined && { includes: fields.split(',').map(field => field.trim()) }),
  }
  const input = { query: parse(search), search, body, signal }
  try {
    return await withOperatorView(config, resource, { name, action: 'export', user, input }, async view => {
      checkQuery(name, view)
      const total = await (await view.filterQueryset(await view.getQueryset())).count()
      const progress = new Progress(process.stderr)
      const onExportProgress = (rows: number) => progress.update(rows, total)
      // `findResource` has checked that the class has the mixin.
      const exporting = () => (view as typeof view & ExportView).export()
      const { stream, filename, warnings } = await listening(view, { onExportProgress }, exporting)
      try {
        if (output === '-') {
          await pipeline(stream, process.stdout, { end: false })
          return ''
        }
        const path = await writeFile(stream, output ?? filename, target)
        return [path, ...warnings.map(inEnglish)].join('\n')
      } finally {
        progress.end()
      }
    })
  } catch (error) {
    if (signal.aborted) throw new CliError('Stopped. The file is not whole.', INTERRUPTED, error)
    throw error
  } finally {
    interruption.end()
  }
}

/** @throws ValidationError for a filter that the resource does not have */
function checkQuery(name: string, view: GenericViewSet): void {
  const endpoints = endpointsOf(name, view.constructor as AnyResourceClass)
  const { parameters } = endpoints.find(({ action, isCustom }) => action === 'export' && !isCustom) ?? {}
  parameters?.checkQuery(view.request, () => [])
}
