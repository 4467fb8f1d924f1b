import type { ImportMapping, ImportValues, MappedField, ReadingOptions } from '../options.ts'
import { headerKey } from '../plan/headers.ts'
import { columnsNamed } from '../plan/spellings.ts'
import { isOfSheet, wireNames } from '../read/sheet-mapping.ts'
import { SheetNames } from '../read/sheet-names.ts'
import type { ChoiceContext } from './check-choice.ts'

interface VisibleContext extends ChoiceContext {
  /** Whether some fields are hidden from the reader. */
  readonly hidesFields: boolean
}

/** The choice without fields that are gone, or that the reader may not see, and without the texts of their columns. */
export function visibleChoice(choice: ReadingOptions, context: VisibleContext): ReadingOptions {
  const { mapping, values } = choice
  if (!mapping && !(values && context.hidesFields)) return choice
  const plans = context.readers.map(({ plan }) => plan)
  const isKnown = (name: string) => !('known' in columnsNamed(plans, name, wireNames))
  const dropped = new Set<string>()
  const fed = new Set<string>()
  const keep = (columns: Readonly<Record<string, MappedField>>): Readonly<Record<string, MappedField>> => {
    const kept = Object.entries(columns).flatMap(([header, fields]) => {
      const left = fields === null ? null : keptFields(fields, isKnown)
      if (left !== null) (left === undefined ? dropped : fed).add(headerKey(header))
      return left === undefined ? [] : [[header, left] as const]
    })
    return Object.fromEntries(kept)
  }
  const left = mapping && mappingOf(mapping, keep)
  const named = context.hidesFields ? new Set([...fed, ...headersOf(context)]) : undefined
  const isShown = (header: string) => !dropped.has(header) && (named?.has(header) ?? true)
  return { ...choice, ...(left && { mapping: left }), ...(values && { values: valuesOf(values, isShown) }) }
}

function keptFields(fields: string | readonly string[], isKnown: (name: string) => boolean): MappedField | undefined {
  const names = [fields].flat()
  const kept = names.filter(isKnown)
  if (kept.length === names.length) return fields
  return kept.length > 0 ? kept : undefined
}

function mappingOf(
  mapping: ImportMapping,
  keep: (columns: Readonly<Record<string, MappedField>>) => Readonly<Record<string, MappedField>>,
): ImportMapping {
  const entries = Object.entries(mapping).flatMap<readonly [string, ImportMapping[string]]>(([name, entry]) =>
    isOfSheet(entry) ? [[name, keep(entry)]] : Object.entries(keep({ [name]: entry })),
  )
  return Object.fromEntries(entries)
}

function valuesOf(values: ImportValues, isShown: (header: string) => boolean): ImportValues {
  return Object.fromEntries(Object.entries(values).filter(([header]) => isShown(headerKey(header))))
}

/** The headers by which an import finds the columns of the reader. */
function headersOf({ readers, aliases }: ChoiceContext): readonly string[] {
  const names = [true, false].map(isFlat => new SheetNames(readers, isFlat, aliases))
  return readers.flatMap(({ columns }) => columns.flatMap(column => names.flatMap(each => each.keysOf(column))))
}
