import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ValidationError } from '../../core/errors.ts'
import type { KeptRows } from '../../importing/failed/failed-rows.ts'
import { RowErrorSpool } from '../../importing/failed/row-error-spool.ts'
import { removeFolder, temporaryFolder } from '../../tabular/temporary-folder.ts'
import { keptRows } from '../../viewset/files/failed-rows-reply.ts'
import { importReply } from '../../viewset/files/import-reply.ts'
import { failedRowsReading, type ImportRequest } from '../../viewset/files/import-request.ts'
import { listening } from '../../viewset/files/listeners.ts'
import type { GenericViewSet } from '../../viewset/generic-viewset.ts'
import type { MethodsOf } from '../../viewset/mixin-types.ts'
import { CliError } from '../cli-error.ts'
import type { Printed } from '../printed.ts'
import { INTERRUPTED } from '../strictly.ts'
import { importReport } from './import-report.ts'
import { grouped, Progress } from './progress.ts'

export type ImportView = Pick<MethodsOf<'FileImportMixin'>, 'performImport' | 'getImportService'> &
  Pick<GenericViewSet, 'getQueryset'>

interface PerformOptions {
  readonly name: string
  readonly target: (extension: string) => string
  readonly signal: AbortSignal
  readonly json: boolean
}

/** Imports a file by a view. @returns the text to print @throws CliError, or the error that stops the import */
export async function performImport(
  view: ImportView,
  path: string,
  request: ImportRequest,
  { name, target, signal, json }: PerformOptions,
): Promise<Printed> {
  const folder = await temporaryFolder('import')
  const spool = new RowErrorSpool(join(folder, 'errors'))
  const progress = new Progress(process.stderr)
  let processed = 0
  const onProgress = (done: number, total: number) => {
    processed = done
    progress.update(done, total)
  }
  try {
    const perform = () => view.performImport(path, request)
    const result = await listening(view, { onRowErrors: spool.add, onProgress }, perform).finally(() => progress.end())
    const reply = importReply(result, request)
    // The stored rows must be reported, also if the file of failed rows cannot be written.
    const failedRows = spool.isEmpty
      ? undefined
      : await writeFailedRows(view, path, request, { spool, kept: keptRows(request, result), folder, target }).catch(
          tellUnwritten,
        )
    const text = json
      ? JSON.stringify({ ...reply.data, failed_rows: failedRows ?? null }, null, 2)
      : importReport(request.file.filename, reply, failedRows)
    return { text, exitCode: result.success ? 0 : 1 }
  } catch (error) {
    if (signal.aborted) throw new CliError(await stoppedMessage(view, request, processed), INTERRUPTED, error)
    throw withHint(error, name)
  } finally {
    await spool.close()
    await removeFolder(folder)
  }
}

async function writeFailedRows(
  view: ImportView,
  path: string,
  request: ImportRequest,
  to: {
    readonly spool: RowErrorSpool
    readonly kept: KeptRows
    readonly folder: string
    readonly target: PerformOptions['target']
  },
): Promise<string> {
  const service = await view.getImportService()
  const made = join(to.folder, 'failed')
  const { errors } = to.spool
  const { extension } = await service.writeFailedRows(path, made, {
    errors,
    kept: to.kept,
    queryset: await view.getQueryset(),
    ...failedRowsReading(request),
  })
  const target = to.target(extension)
  await copyFile(made, target)
  return target
}

function tellUnwritten(error: Error): undefined {
  process.stderr.write(`The rows that failed could not be written to a file: ${error.message}\n`)
}

/** Only committed chunks are reported. */
async function stoppedMessage(
  view: ImportView,
  { append, dryRun, allOrNothing }: ImportRequest,
  processed: number,
): Promise<string> {
  const { plan } = await view.getImportService()
  const isInChunks = append && !dryRun && !allOrNothing && !plan.allOrNothing && plan.chunkSize !== undefined
  if (!isInChunks || processed === 0) return 'Stopped. Nothing was stored.'
  return `Stopped. Of the first ${grouped(processed)} rows, all that are right were stored, and nothing of the others; the same file can be imported again.`
}

function withHint(error: unknown, name: string): unknown {
  if (!(error instanceof ValidationError && error.errors?.file)) return error
  const hint = `A file to fill in: viewset generate-import-template ${name}`
  return new CliError([...error.errors.file, hint].join('\n'), 2, error)
}
