import { posix } from 'node:path'
import { message } from '../../../core/messages/message.ts'
import { TabularError } from '../../errors.ts'
import { markOf } from '../csv-encoding.ts'
import type { FoundRow, SheetSource } from '../found-row.ts'
import type { ReadLimits } from '../limits.ts'
import { type CellContext, type SharedTexts, SheetHandler } from './sheet.ts'
import { SharedStringsHandler, StylesHandler } from './styles.ts'
import { type FoundText, TextFinder } from './text-finder.ts'
import { attribute, type Namespaces, type XmlHandler, XmlScanner } from './xml.ts'
import { damaged, readZipDirectory, type ZipEntry, zipEntryChunks } from './zip.ts'

const MOST_SHEETS = 250

/**
 * The sheets of an XLSX workbook. Rows are read while they are taken, so that no sheet is in memory as a whole.
 *
 * @param most wanted rows of each sheet; default: all
 */
export async function xlsxSheets(path: string, limits: ReadLimits, most?: number): Promise<SheetSource[]> {
  const archive = new Package(path, await readZipDirectory(path, limits.maxInflatedBytes), limits)
  const root = await archive.relationships('')
  const workbookPath = [...root.values()].find(({ type }) => type === 'officeDocument')?.target ?? 'xl/workbook.xml'
  const workbook = await archive.read(workbookPath, new WorkbookHandler())
  const related = await archive.relationships(workbookPath)
  const pathOf = (type: string) => [...related.values()].find(each => each.type === type)?.target
  const [stringsPath, stylesPath] = [pathOf('sharedStrings'), pathOf('styles')]
  const formats = {
    formats: stylesPath ? (await archive.read(stylesPath, new StylesHandler())).formats() : [],
    countsFrom1904: workbook.countsFrom1904,
  }
  if (workbook.sheets.length > 0 && !workbook.sheets.some(({ relationship }) => related.has(relationship))) {
    throw damaged()
  }
  const sheets = workbook.sheets.flatMap(({ name, isHidden, relationship }) => {
    const part = related.get(relationship)
    // Other types are charts and macros. Some programs leave sheets without a part behind.
    return part?.type === 'worksheet' ? [{ name, isHidden, part: part.target }] : []
  })
  if (sheets.length > MOST_SHEETS) {
    throw new TabularError('too_large', message('too_large.sheets', { max: MOST_SHEETS }))
  }
  if (new Set(sheets.map(({ part }) => part)).size < sheets.length) throw damaged()
  if (most !== undefined) {
    return firstRows(
      {
        sheets,
        readTexts: wanted => archive.texts(stringsPath, wanted),
        readRows: async (part, texts, count) =>
          (await archive.read(part, new SheetHandler({ ...formats, texts }, limits, count))).rows.takeAll().flat(),
      },
      most,
    )
  }
  const allTexts = new SharedStringsHandler(limits.maxCellLength)
  const context: CellContext = { ...formats, texts: stringsPath ? await archive.read(stringsPath, allTexts) : allTexts }
  return sheets.map(({ part, ...sheet }) => {
    let handler: SheetHandler | undefined
    const rows = () => {
      handler = new SheetHandler(context, limits)
      return archive.rows(part, handler)
    }
    return { ...sheet, rows, view: () => handler?.view }
  })
}

class Package {
  readonly #path: string
  readonly #entries: ReadonlyMap<string, ZipEntry>
  readonly #limits: ReadLimits

  constructor(path: string, entries: ReadonlyMap<string, ZipEntry>, limits: ReadLimits) {
    this.#path = path
    this.#entries = entries
    this.#limits = limits
  }

  /** The targets of a part's relationships by id, with paths from the root; `''` is the package. */
  async relationships(part: string): Promise<RelationshipsHandler['byId']> {
    const folder = posix.dirname(part)
    const { byId } = await this.read(
      posix.join(folder, '_rels', `${posix.basename(part)}.rels`),
      new RelationshipsHandler(),
    )
    for (const [id, { type, target }] of byId) {
      byId.set(id, { type, target: posix.resolve('/', folder, target).slice(1) })
    }
    return byId
  }

  async read<H extends XmlHandler>(part: string, handler: H): Promise<H> {
    for await (const _ of this.#scan(part, handler)) if (handler.isDone) break
    return handler
  }

  async *rows(part: string, handler: SheetHandler): AsyncGenerator<FoundRow[]> {
    for await (const _ of this.#scan(part, handler)) yield* handler.rows.takeFull()
    yield* handler.rows.takeAll()
  }

  async texts(part: string | undefined, wanted: ReadonlySet<number>): Promise<SharedTexts> {
    const texts = new Map<number, string | undefined>()
    const longest = this.#limits.maxCellLength * 2
    const finder = new TextFinder(wanted, longest)
    const take = (found: readonly FoundText[]) => {
      for (const { index, xml } of found) {
        const handler = new SharedStringsHandler(this.#limits.maxCellLength)
        new XmlScanner(handler, longest).write(decoder()(Buffer.concat([finder.root, xml])))
        texts.set(index, handler.at(0))
      }
    }
    for await (const chunk of part === undefined ? [] : this.#chunks(part)) {
      // The finder knows UTF-8 only.
      if (part !== undefined && finder.isNew && markOf(chunk)?.name.startsWith('utf-16')) {
        return this.read(part, new SharedStringsHandler(this.#limits.maxCellLength))
      }
      take(finder.find(chunk))
      if (finder.isDone) break
    }
    take(finder.end())
    return { at: index => texts.get(index) }
  }

  #chunks(part: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(part.toLowerCase())
    if (!entry) throw damaged()
    return zipEntryChunks(this.#path, entry)
  }

  async *#scan(part: string, handler: XmlHandler): AsyncGenerator<void> {
    // Some characters have a longer spelling, such as `&lt;`.
    const scanner = new XmlScanner(handler, this.#limits.maxCellLength * 2)
    const decode = decoder()
    for await (const chunk of this.#chunks(part)) {
      scanner.write(decode(chunk))
      yield
    }
    scanner.write(decode())
    scanner.end()
  }
}

/** Parts of a workbook are UTF-8, or UTF-16 with a byte order mark. */
function decoder(): (chunk?: Buffer) => string {
  let decoder: TextDecoderOfPart | undefined
  return chunk => {
    decoder ??= new TextDecoder((chunk && markOf(chunk)?.name) ?? 'utf-8', { fatal: true })
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch (error) {
      throw damaged(error)
    }
  }
}

type TextDecoderOfPart = InstanceType<typeof TextDecoder>

export interface FirstRowsSource {
  readonly sheets: readonly { readonly name: string; readonly isHidden: boolean; readonly part: string }[]
  readRows(part: string, texts: SharedTexts, most: number): Promise<readonly FoundRow[]>
  readTexts(wanted: ReadonlySet<number>): Promise<SharedTexts>
}

/** If some of the first rows are blank, this many times more rows are read. */
const MORE = 8

/**
 * The first rows of each sheet. They are read once to collect the needed shared texts and again with these, because a
 * workbook may have millions of texts.
 *
 * @param most wanted rows of a sheet
 */
export async function firstRows(source: FirstRowsSource, most: number, lookedAt = most): Promise<SheetSource[]> {
  const wanted = new Set<number>()
  const seen: (readonly FoundRow[])[] = []
  for (const { part } of source.sheets) {
    seen.push(await source.readRows(part, { at: index => noteWanted(wanted, index) }, lookedAt))
  }
  const texts = await source.readTexts(wanted)
  const sheets: SheetSource[] = []
  let mustLookFurther = false
  for (const [index, { name, isHidden, part }] of source.sheets.entries()) {
    const { length, [length - 1]: last } = seen[index] as readonly FoundRow[]
    const read = await source.readRows(part, texts, lookedAt)
    const rows = read.filter(({ row }) => row <= (last?.row ?? 0)).slice(0, most)
    if (rows.length < most && length === lookedAt) mustLookFurther = true
    sheets.push({
      name,
      isHidden,
      rows: async function* () {
        if (rows.length > 0) yield rows
      },
    })
  }
  return mustLookFurther ? firstRows(source, most, lookedAt * MORE) : sheets
}

/** The text counts as not blank until it is known. */
function noteWanted(wanted: Set<number>, index: number): string {
  wanted.add(index)
  return '?'
}

export interface Relationship {
  /** The last word of the type, such as `worksheet`. The rest differs between versions of the standard. */
  readonly type: string
  readonly target: string
}

export class RelationshipsHandler implements XmlHandler {
  readonly wantsText = false
  readonly byId = new Map<string, Relationship>()

  open(name: string, tag: string): void {
    if (name !== 'Relationship' || attribute(tag, 'TargetMode') === 'External') return
    const type = attribute(tag, 'Type')?.split('/').at(-1) ?? ''
    this.byId.set(attribute(tag, 'Id') ?? '', { type, target: attribute(tag, 'Target') ?? '' })
  }

  close(): void {}
}

export class WorkbookHandler implements XmlHandler {
  readonly wantsText = false
  readonly sheets: { readonly name: string; readonly isHidden: boolean; readonly relationship: string }[] = []
  countsFrom1904 = false

  open(name: string, tag: string, namespaces: Namespaces): void {
    if (name === 'workbookPr') this.countsFrom1904 = /^(?:1|true)$/.test(attribute(tag, 'date1904') ?? '')
    else if (name === 'sheet') {
      const prefixes = [...tag.matchAll(PREFIXED_ID)].map(([, prefix = '']) => prefix)
      const prefix = prefixes.find(each => RELATIONSHIPS.test(namespaces.of(each) ?? '')) ?? 'r'
      // A very hidden sheet can be shown only by a macro.
      const isHidden = /^(?:hidden|veryHidden)$/.test(attribute(tag, 'state') ?? '')
      const relationship = attribute(tag, `${prefix}:id`) ?? ''
      this.sheets.push({ name: attribute(tag, 'name') ?? '', isHidden, relationship })
    }
  }

  close(): void {}
}

const PREFIXED_ID = /\s([^\s:=]+):id\s*=/g
/** The namespace of relationships in both versions of the standard. */
const RELATIONSHIPS = /\/officeDocument\/(?:2006\/)?relationships$/
