import type * as z from 'zod'
import { currentUser } from '../core/context.ts'
import { errorsByField, type FieldErrors, NON_FIELD_ERRORS, ValidationError } from '../core/errors.ts'
import { message } from '../core/messages/message.ts'
import { wireName } from '../core/wire-names.ts'
import type { ReadContext } from '../kinds/kind.ts'
import { CATALOGUE, textOf } from '../kinds/schema-parts.ts'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import { fillSlugs, slugColumns, slugProblem, type UnusableSlug } from '../model/slug-column.ts'
import type { Database } from '../store/connection/database.ts'
import type { QuerySet } from '../store/queryset.ts'
import type { Values } from '../store/write/write.ts'
import { ClaimedValues, checkUniques } from './check-uniques.ts'
import { isWritable, type ManyField } from './fields.ts'
import type { SubmittedItem, ValidatedItem } from './item.ts'
import type { Complaints, ModelSerializer } from './model-serializer.ts'
import { ignoredKeysHints, parseItem, type ReadItems, readItem, withFixed, writableFields } from './parse-item.ts'
import { checkLeftParents } from './relations/check-left-parents.ts'
import { checkReferences } from './relations/check-references.ts'
import { checkRelations } from './relations/check-relations.ts'
import type { LeavingRecord, RelatedRecords } from './relations/related-records.ts'

/** Options of a validation. */
export interface ValidateOptions {
  /** PATCH: no field is required. */
  readonly partial?: boolean
  /** Values of every new record of the resource's model. Clients cannot change them. */
  readonly fixed?: Values | undefined
  /** The records of that model which the request may read and delete. */
  readonly visible?: (() => Promise<QuerySet>) | undefined
  /** Whether a new record of that model must be one of these, at any depth of the request. Default true. */
  readonly checkCreated?: boolean
  /** The owners, by their values in a column, from which no record may be taken. @throws PermissionDenied */
  readonly closedOwners?: ((column: ColumnInfo, keys: readonly unknown[]) => Promise<readonly unknown[]>) | undefined
  /** The resource's model, if the items are nested in another one's. */
  readonly root?: ModelInfo | undefined
  /** @internal The unique values of the request's other levels. */
  readonly claimed?: ClaimedValues
}

export interface ValidateRun extends ValidateOptions {
  readonly context: ReadContext
  /** The items, if a first attempt has read them. */
  readonly read?: ReadItems | undefined
}

/**
 * Converts a client's input to values of the model. Unknown and read-only fields are ignored.
 *
 * @throws ValidationError with the messages of all fields.
 */
export async function validate(
  serializer: ModelSerializer,
  database: Database,
  item: SubmittedItem,
  options: ValidateRun,
): Promise<Values> {
  const [entry] = await validateItems(serializer, database, [item], options)
  const { values, errors } = entry as ValidatedItem
  if (Object.keys(errors).length > 0) throw refusal(serializer, [item], errors)
  return values
}

/**
 * {@link validate} for many items at once.
 *
 * @throws ValidationError with the messages of all items, by index (`"3.title"`).
 */
export async function validateMany(
  serializer: ModelSerializer,
  database: Database,
  items: readonly SubmittedItem[],
  options: ValidateRun,
): Promise<Values[]> {
  const validated = await validateItems(serializer, database, items, options)
  const errors = byIndex(validated)
  if (Object.keys(errors).length > 0) throw refusal(serializer, items, errors)
  return validated.map(({ values }) => values)
}

function refusal(serializer: ModelSerializer, items: readonly SubmittedItem[], errors: FieldErrors): ValidationError {
  const refused = new ValidationError(errors)
  const hints = ignoredKeysHints(
    serializer,
    items.map(({ input }) => input),
    errors,
  )
  if (hints.length === 0) return refused
  return new ValidationError(errors, message('sentences', { texts: [refused.text, ...hints] }))
}

function byIndex(results: readonly ValidatedItem[]): FieldErrors {
  const all: FieldErrors = {}
  results.forEach(({ errors }, index) => {
    for (const field in errors) all[`${index}.${field}`] = errors[field] ?? []
  })
  return all
}

/** Validates any number of items with one statement for each foreign key and each unique constraint. */
export async function validateItems(
  serializer: ModelSerializer,
  database: Database,
  items: readonly SubmittedItem[],
  run: ValidateRun,
  leaving: readonly LeavingRecord[] = [],
): Promise<readonly ValidatedItem[]> {
  const {
    context,
    partial = false,
    fixed,
    visible,
    root = serializer.info,
    closedOwners,
    claimed = new ClaimedValues(),
  } = run
  const { fields, stored } = writableFields(serializer)
  const fixedOf = new Map<ValidatedItem, Values>()
  const validated = items.map((item, index) => {
    const itemFixed = root === serializer.info && fixed ? { ...item.fixed, ...fixed } : item.fixed
    const isAdded = isNew(item)
    const which = isAdded ? 'fields' : 'changeable'
    const options = { partial: item.partial ?? partial, fixed: itemFixed, context }
    const entry = run.read?.at(index, serializer, which, item, options) ?? readItem(serializer, which, item, options)
    if (!isAdded || !itemFixed) return entry
    fixedOf.set(entry, itemFixed)
    return withFixed(entry, itemFixed)
  })
  // The write makes the slugs that get endings: only then is it known which ones are taken.
  const slugs = slugColumns(serializer.info).filter(({ isExtended }) => !isExtended)
  if (slugs.length > 0) {
    const added = validated.filter((_, index) => isNew(items[index] as SubmittedItem))
    for (const entry of added) {
      for (const unusable of fillSlugs(slugs, entry.values)) complainOfSlug(serializer, entry, unusable)
    }
  }
  const known = validated.filter((_, index) => items[index]?.errors === undefined)
  // A field with an error has no value and gets no further error.
  await checkReferences(stored, database, known)
  await checkRelations(fields, database, known, context, {
    validate: (related, inputs, gone) =>
      validateItems(related, database, inputs, { ...run, partial: false, root, claimed }, gone),
    isFixed: (entry, key) => key in (fixedOf.get(entry) ?? {}),
    visible: related => (related.info === root ? visible?.() : undefined),
    checkCreated: run.checkCreated ?? true,
    leaving,
    closedOwners: async (column, keys) => (serializer.info === root && closedOwners ? closedOwners(column, keys) : []),
  })
  await checkLeftParents(stored, database, known)
  await checkUniques(serializer, database, known, leaving, claimed)
  if (!serializer.hasRules) return validated
  for (const entry of known) if (Object.keys(entry.errors).length === 0) await checkTogether(serializer, entry)
  return validated
}

/**
 * Validates only the lists of records in the items, whose other values are known to be valid. `contested` are items that
 * want a unique value of another item: they have to be validated again on their own, after the items before them are
 * written.
 */
export async function validateLists(
  serializer: ModelSerializer,
  database: Database,
  fields: readonly ManyField[],
  items: readonly SubmittedItem[],
  context: ReadContext,
): Promise<{ readonly validated: readonly ValidatedItem[]; readonly contested: ReadonlySet<ValidatedItem> }> {
  const validated = items.map(item => parseItem(fields, item, { context }))
  const contested = new Set<ValidatedItem>()
  const run = { context, root: serializer.info, claimed: new ClaimedValues(contested) }
  await checkRelations(fields, database, validated, context, {
    ...NOTHING_KNOWN,
    validate: (related, inputs, gone) => validateItems(related, database, inputs, run, gone),
  })
  return { validated, contested }
}

/** For records that no other record of their model owns. */
const NOTHING_KNOWN: Omit<RelatedRecords, 'validate'> = {
  isFixed: () => false,
  visible: () => undefined,
  checkCreated: true,
  closedOwners: async () => [],
  leaving: [],
}

/**
 * The items' values in some columns, for finding their records. Invalid values and references to new records are left
 * out: the validation reports them.
 */
export async function readColumns(
  serializer: ModelSerializer,
  database: Database,
  inputs: readonly unknown[],
  columns: readonly ColumnInfo[],
  context: ReadContext,
  fixed: Values = {},
): Promise<readonly Values[]> {
  const stored = serializer.fields.filter(field => field.kind === 'stored')
  const fields = stored.filter(field => columns.includes(field.column))
  const validated = inputs.map(input =>
    withFixed(parseItem(fields, { input }, { partial: true, fixed, context }), fixed),
  )
  await checkRelations(fields, database, validated, context, {
    ...NOTHING_KNOWN,
    validate: async (_, created) => created.map(() => UNREAD),
  })
  return validated.map(({ values }) => values)
}

/** A new record, which cannot name another one. */
const UNREAD: ValidatedItem = {
  input: undefined,
  values: {},
  errors: { [NON_FIELD_ERRORS]: [] },
  record: undefined,
  loaded: undefined,
  key: undefined,
  owner: undefined,
  within: undefined,
  partial: true,
}

/** The record is read last: a bulk update loads its records only if needed. */
function isNew(item: SubmittedItem): boolean {
  return item.key === undefined && item.errors === undefined && item.record === undefined
}

function complainOfSlug({ fields }: ModelSerializer, { errors }: ValidatedItem, unusable: UnusableSlug): void {
  const fieldOf = (column: ColumnInfo) =>
    fields.find(field => field.kind === 'stored' && field.column === column && isWritable(field))
  const { column, source } = unusable.slug
  const sent = fieldOf(column)
  // A slug that is wrong has its own error.
  if (sent && errors[sent.wire]) return
  const place = fieldOf(source) ?? sent
  errors[place?.wire ?? NON_FIELD_ERRORS] ??= [slugProblem(unusable, sent !== undefined)]
}

/** Only an import has a report of its rows. */
export function ignoreWarning(): void {}

async function checkTogether(serializer: ModelSerializer, entry: ValidatedItem): Promise<void> {
  const { values, errors } = entry
  const context = {
    get record() {
      return entry.record ?? null
    },
    user: currentUser(),
    warn: ignoreWarning,
  }
  const complaints = (await serializer.validateTogether(values, context)) as Complaints<string> | undefined
  for (const [key, messages] of Object.entries(complaints ?? {})) {
    if (messages !== undefined) errors[key === 'nonFieldErrors' ? NON_FIELD_ERRORS : wireName(key)] = [messages].flat()
  }
}

/**
 * Reads an input by a user's own schema. Errors have dotted paths.
 *
 * @throws ValidationError
 */
export function validateInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input, CATALOGUE)
  if (result.success) return result.data
  const errors = result.error.issues.map(
    issue => [issue.path.length === 0 ? NON_FIELD_ERRORS : issue.path.join('.'), [textOf(issue)]] as const,
  )
  throw new ValidationError(errorsByField(errors))
}
