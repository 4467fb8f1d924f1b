import { type FieldErrors, ValidationError } from '../core/errors.ts'
import { type Message, message } from '../core/messages/message.ts'
import { shorten } from '../core/text.ts'
import { wireName } from '../core/wire-names.ts'
import { choiceMessage } from '../kinds/schema-parts.ts'
import type { TabularWriter } from '../tabular/writer.ts'
import { csvFormErrors } from './csv-form.ts'
import type { ExportColumn, ExportColumns } from './export-columns.ts'
import { available, type ExportOptions, type Writers } from './formats.ts'

export const MOST_NAMES = 10

export interface Choice {
  readonly writer: TabularWriter
  readonly columns: readonly ExportColumn[]
}

/** @throws ValidationError for an unknown format or field. It names the known ones. */
export function choose(writers: Writers, offered: ExportColumns, options: ExportOptions): Choice {
  const { fileType, includes, columnConfig = {} } = options
  const errors: FieldErrors = { ...csvFormErrors(options) }
  const writer = writers.get(fileType)
  const isAvailable = writer !== undefined && writer.missingPackages().length === 0
  if (!isAvailable) errors.file_type = [unknownFormat(String(fileType), writers, writer)]
  const names = includes?.flatMap(namesIn)
  const wanted = names && [...new Set(names.map(wireName))]
  const configured = Object.entries(columnConfig).map(([name, settings]) => [name.trim(), settings] as const)
  if (wanted?.length === 0) errors.includes = [message('empty')]
  const unknown = {
    includes: unknownFields(names ?? [], offered),
    column_config: unknownFields(
      configured.map(([name]) => name),
      offered,
    ),
  }
  for (const [key, problem] of Object.entries(unknown)) if (problem) errors[key] = [problem]
  if (!isAvailable || Object.keys(errors).length > 0) throw new ValidationError(errors)
  const columns = wanted ? wanted.map(name => offered.byWire.get(name) as ExportColumn) : offered.standard
  const settingsOf = new Map(configured.map(([name, settings]) => [wireName(name), settings]))
  return {
    writer,
    columns: columns.map(column => {
      const { width, header, align } = settingsOf.get(column.wire) ?? {}
      return {
        ...column,
        ...(typeof width === 'number' && { width }),
        ...(typeof header === 'string' && { header }),
        ...(align && { align }),
      }
    }),
  }
}

/** `title, author`: names contain no commas or blanks, so one text can list them. */
function namesIn(text: string): readonly string[] {
  return text
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
}

function unknownFormat(asked: string, writers: Writers, writer: TabularWriter | undefined): Message {
  const offered = available(writers).join(', ')
  if (!writer) return choiceMessage(asked, available(writers))
  const packages = writer.missingPackages().join(', ')
  return message('missing_package', { format: asked, packages, choices: offered })
}

function unknownFields(names: readonly string[], { byWire }: ExportColumns): Message | undefined {
  const unknown = [...new Set(names)].filter(name => !byWire.has(wireName(name)))
  if (unknown.length === 0) return undefined
  const shown = unknown.slice(0, MOST_NAMES).map(shorten)
  return message('unknown_field', {
    names: shown,
    more: unknown.length - shown.length,
    known: [...byWire.keys()].join(', '),
  })
}
