import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import { timestampNow } from '../../core/clock.ts'
import { inEnglish, type Message, message } from '../../core/messages/message.ts'
import { Turns } from '../../core/turns.ts'
import { missingPackages, TabularError } from '../errors.ts'
import type { RowBatches, TabularColumn } from '../table.ts'
import { WarmWorkers } from '../warm-workers.ts'
import { WorkerJob } from '../worker-job.ts'
import { cutWarning, limitRows, type TabularWriter, type WriteOptions } from '../writer.ts'
import type { FontFiles } from './fonts.ts'
import { characterCodes, type PdfWords } from './page-footer.ts'
import type { PageSize } from './page-layout.ts'
import type { Answer, PdfTableOptions, Task } from './pdf-table.ts'

const require = createRequire(import.meta.url)

/** Options of PDF files. */
export interface PdfOptions {
  /** Default `A4`. Wide tables use landscape, very wide ones a larger sheet. */
  readonly pageSize?: PageSize
  /** Paths of the main font, .ttf or .otf. Default DejaVu Sans with Latin, Greek and Cyrillic. */
  readonly font?: { readonly regular: string; readonly bold?: string }
  /** Paths of fonts for characters that the main font lacks, in this order; `a.ttc#PostScriptName`. */
  readonly fonts?: readonly string[]
  /**
   * Whether fonts of the operating system serve characters that these fonts lack, or the folders with such fonts. Default
   * true. The file then depends on the machine that makes it.
   */
  readonly systemFonts?: boolean | readonly string[]
  /** Milliseconds of work for one file, without waiting for rows. Default 60,000. */
  readonly timeLimit?: number
  /** Megabytes for one file. Default 512. */
  readonly memoryLimit?: number
  /** Files that this process makes at the same time. Others wait for at most 30 seconds. Default 2. */
  readonly concurrency?: number
}

const workers = new WarmWorkers(new URL('./pdf-worker.js', import.meta.url))

/** The limit is one for the process. */
const turns = new Turns()
const PATIENCE = 30_000

/**
 * Writes PDF: a title, rows under a repeated header, a footer with the date, the number of rows and of the page; texts
 * wrap. A worker thread makes each file completely before its first byte, so that every error comes before it. Needs
 * pdfkit, and dejavu-fonts-ttf unless `font` is set. Characters without a glyph are shown as U+FFFD, which a note below the
 * rows explains, and listed for `onWarning`.
 *
 * @example
 * pdfWriter({ fonts: ['/usr/share/fonts/NotoSansSC-Regular.ttf'] }).write(columns, rows, { title: 'Countries' })
 */
export function pdfWriter(options: PdfOptions = {}): TabularWriter {
  const missing = () => missingPackages(options.font ? ['pdfkit'] : ['pdfkit', 'dejavu-fonts-ttf'])
  return {
    format: 'pdf',
    contentType: 'application/pdf',
    extension: 'pdf',
    missingPackages: missing,
    write: (columns, rows, writeOptions = {}) => {
      const words = { local: pdfWords(String), english: pdfWords(inEnglish) }
      return wholeStream(signal => {
        const packages = missing()
        if (packages.length === 0) return build(columns, rows, writeOptions, { options, words, signal })
        const problem = `PDF files need packages that are not installed: npm install ${packages.join(' ')}`
        throw new TabularError('missing_package', problem)
      }, writeOptions.signal)
    },
  }
}

async function build(
  columns: readonly TabularColumn[],
  rows: RowBatches,
  { title = '', filters = '', maxRows, onWarning }: WriteOptions,
  { options, words, signal }: { options: PdfOptions; words: PdfTableOptions['words']; signal: AbortSignal },
): Promise<Uint8Array[]> {
  const { pageSize = 'A4', timeLimit = 60_000, memoryLimit = 512, concurrency = 2 } = options
  const release = await turns.take({
    limit: concurrency,
    patience: PATIENCE,
    message: message('service_unavailable.pdf'),
    signal,
  })
  try {
    const fonts = fontFiles(options)
    const created = `${timestampNow().slice(0, 16).replace('T', ' ')} UTC`
    const table = { columns: columns.map(plainColumn), title, filters, created, pageSize, fonts, words }
    const job = new WorkerJob<Task, Answer>({
      workers,
      data: table satisfies PdfTableOptions,
      timeLimit,
      memoryLimit,
      messages: {
        outOfTime: message('out_of_time.pdf'),
        outOfMemory: message('too_large.pdf_memory'),
      },
    })
    const abort = () => void job.abort(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    try {
      const chunks: Uint8Array[] = []
      for await (const batch of limitRows(rows, maxRows)) {
        signal.throwIfAborted()
        chunks.push((await job.perform({ rows: batch })).bytes)
      }
      const end = await job.perform('end')
      chunks.push(end.bytes)
      if ('missing' in end) warn(end, onWarning)
      return chunks
    } finally {
      signal.removeEventListener('abort', abort)
      await job.close()
    }
  } finally {
    release()
  }
}

function warn(
  { missing, cuts }: { readonly missing: readonly string[]; readonly cuts: number },
  onWarning: WriteOptions['onWarning'],
): void {
  if (missing.length > 0) {
    const text = message('missing_glyphs', { count: missing.length, characters: characterCodes(missing) })
    onWarning?.({ code: 'missing_glyphs', message: inEnglish(text), text, characters: missing })
  }
  if (cuts > 0) onWarning?.(cutWarning(cuts))
}

/** A byte stream over a file that `build` makes completely when reading begins. Destroying it aborts `build`. */
function wholeStream(
  build: (signal: AbortSignal) => Promise<readonly Uint8Array[]>,
  signal: AbortSignal | undefined,
): Readable {
  const controller = new AbortController()
  let isBuilding = false
  return new Readable({
    ...(signal && { signal }),
    async read() {
      if (isBuilding) return
      isBuilding = true
      try {
        for (const chunk of await build(controller.signal)) this.push(chunk)
        this.push(null)
      } catch (error) {
        this.destroy(error as Error)
      }
    },
    destroy(error, done) {
      controller.abort()
      done(error)
    },
  })
}

function pdfWords(textOf: (message: Message) => string): PdfWords {
  return {
    page: textOf(message('pdf.page', { page: '{page}', pages: '{pages}' })),
    rows: textOf(message('pdf.rows', { rows: '{rows}' })),
    filters: textOf(message('pdf.filters', { filters: '{filters}' })),
    missing: textOf(message('pdf.missing', { sign: '{sign}' })),
    utc: textOf(message('pdf.utc')),
    yes: textOf(message('pdf.yes')),
    no: textOf(message('pdf.no')),
  }
}

function fontFiles({ font, fonts = [], systemFonts: system = true }: PdfOptions): FontFiles {
  const others = { fallbacks: fonts, system }
  if (font) return { regular: font.regular, bold: font.bold ?? font.regular, ...others }
  const path = (name: string) => require.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`)
  return { regular: path('DejaVuSans'), bold: path('DejaVuSans-Bold'), ...others }
}

/** Only plain data can be sent to a thread. */
function plainColumn({ header, kind, width, align }: TabularColumn): TabularColumn {
  return { header, kind, ...(width !== undefined && { width }), ...(align && { align }) }
}
