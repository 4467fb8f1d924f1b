import type { FieldName, Model } from '../model/kit.ts'
import type { RelatedModel } from '../serializer/relations/scoped.ts'
import type { ImportFormat } from '../tabular/read/file.ts'
import type { ComputedField, ImportCell, PrepareRow } from './import-hooks.ts'

/** How an import finds a foreign key from a cell; made by {@link importForeignKey}. */
export interface ImportForeignKey<M extends Model = Model, S extends string = string> {
  /** The related model, or the records of it that a row may refer to: `scoped(model, where)`. */
  readonly model: RelatedModel<M>
  /** The field of the related model with the cell's value. */
  readonly lookupField: FieldName<M>
  /** The header of the file's column with the value. */
  readonly sourceField: S
}

/** The text between two links of a cell. */
export const LINK_SEPARATOR = ';'

/** How an import links records from one cell (`"tag a; tag b"`); made by {@link importManyToMany}. */
export interface ImportManyToMany<M extends Model = Model, S extends string = string> {
  /** The related model, or the records of it that a row may link: `scoped(model, where)`. */
  readonly model: RelatedModel<M>
  /** The field of the related model with the values in the cell. */
  readonly lookupField: FieldName<M>
  /** The header of the file's column. */
  readonly sourceField: S
  /** The text between two records. Default `;`. */
  readonly separator?: string
  /** The join table. Default: the one of the serializer's field with this name. */
  readonly through?: Model
  /** The join table's foreign keys to this model and to the related one, if it has further ones. */
  readonly throughFields?: readonly [source: string, target: string]
}

/** The condition for rows that delete their records. */
export interface ImportDeleteWhen<S extends string = string> {
  /** The header of the file's column; a field may read it too. A file without it deletes nothing. */
  readonly sourceField: S
  /** The column's values in a row that deletes, in any letter case: `['yes', 'x', true]`. */
  readonly equals: readonly (string | number | boolean)[]
}

/** The action of a row on its stored record. */
export type OnExisting = 'update' | 'skip' | 'fail'
/** The action of a row whose record is not stored. */
export type OnMissing = 'create' | 'skip' | 'fail'

/** The effect of several rows with the same `uniqueFields` in one file. */
export type OnDuplicateRow = 'last' | 'fail'

/** The action for a row of totals. */
export type TotalsRows = 'fail' | 'skip'

/** The policy for the rows of a model. */
export interface ImportPolicy {
  /**
   * `update` writes to a stored record. `skip` leaves it unchanged, and other records of the row may refer to it.
   * `fail` is an error of the row. Default `update`.
   */
  readonly onExisting?: OnExisting
  /** `create` makes a new record. `skip` skips the whole row. `fail` is an error of the row. Default `create`. */
  readonly onMissing?: OnMissing
  /**
   * A row equal to its stored record writes nothing: it counts as `unchanged`, `updatedAt` stays, and no hook runs.
   * Default false.
   */
  readonly skipUnchanged?: boolean
  /**
   * The effect of several rows of a file with the same `uniqueFields`: with `last`, each updates the one before. With
   * `fail`, all of them fail; the file is read twice, and the keys of its rows are kept in memory. For the last model of a
   * sheet. Default `last`.
   */
  readonly onDuplicateRow?: OnDuplicateRow
  /**
   * Every row creates a record, also when the file is imported again; there are no `uniqueFields`. A violated unique
   * constraint is an error of the row. Default false.
   */
  readonly createOnly?: boolean
  /**
   * Confirms that the table has no unique constraint over the `uniqueFields`. Each import then locks the table, so two
   * imports create no record twice. Without it, a warning appears at start. Default false.
   */
  readonly matchWithoutIndex?: boolean
}

/**
 * How an import handles one model; made by {@link importModel}. `F` are the names that transforms may use: imported
 * fields and source fields.
 */
export interface ImportModel<M extends Model = Model, F extends string = string> extends ImportPolicy {
  /** Types only: the names in an object that `importModel` has not made are not checked. */
  readonly '~importModel': true
  /** The model, or the records of it that an import may update: `scoped(model, where)`. */
  readonly model: RelatedModel<M>
  /**
   * The model's columns in the file. Their headers are the names in JSON: `native_name`. Source fields of foreign keys
   * are allowed too.
   */
  readonly fields: readonly F[]
  /**
   * A row with the values of a stored record in all of these fields updates that record; other rows create one. NULL
   * equals NULL. Name a relation by its field or its source field. Required, except with `createOnly`.
   */
  readonly uniqueFields?: readonly (F | FieldName<M>)[]
  /** Relations by name. They need not be in `fields`. */
  readonly foreignKeys?: { readonly [K in FieldName<M>]?: ImportForeignKey<Model, F> }
  /** Fields, or source fields, that are computed from the row instead of read from a column. */
  readonly computedFields?: { readonly [K in F | FieldName<M>]?: ComputedField }
  /**
   * Fields, or source fields, with the same value in all rows, as a value of code. No column of the file feeds them.
   */
  readonly constantFields?: { readonly [K in F | FieldName<M>]?: unknown }
  /** Relations to many with a join table, by name. A row sets its record's links to exactly the named records. */
  readonly manyToMany?: Readonly<Record<string, ImportManyToMany<Model, F>>>
  /**
   * Lists of records that the serializer writes with their owner, such as the lines of an order. A cell has a list as
   * JSON: `[{"product": 1, "quantity": 2}]`. A row that updates a record treats its list as a PUT does, so children that
   * the list leaves out are deleted, unless the field has another mode for PUT. An empty cell leaves the list alone.
   */
  readonly lists?: readonly F[]
  /**
   * The condition for rows that only delete the record that they find; of their cells only the `uniqueFields` count.
   * Without a record, the row is skipped, or fails if `onMissing` is `fail`. Only for the last model of `order`.
   */
  readonly deleteWhen?: ImportDeleteWhen<F>
  /**
   * The version of records, such as the `version` of `VersionMixin()`. A file with its column, as an export has it,
   * changes no record that has changed since the export: such a row fails. Without the column, nothing is compared.
   */
  readonly version?: FieldName<M>
  /**
   * Columns that a file may lack, by field or source field. A missing column leaves stored values as they are, and new
   * records get their defaults. Default: none, except by a client's mapping.
   */
  readonly optional?: readonly (F | FieldName<M>)[]
  /**
   * Columns, by field or source field, of which nothing is kept: their cells are in no error, diff, job or file of failed
   * rows. A file may lack them, unless a new record needs them. Default: none.
   */
  readonly sensitive?: readonly (F | FieldName<M>)[]
}

/** The format and contents of files. */
export interface ImportFileConfig<K extends string = string, F extends string = string> {
  /** The accepted formats. */
  readonly fileFormat: ImportFormat | readonly ImportFormat[]
  /** The models in the order of writing: a model comes after those that it refers to. */
  readonly order: readonly NoInfer<K>[]
  /** The models by a key of your choice, which is the name of their sheet in a workbook. */
  readonly models: Readonly<Record<K, ImportModel<Model, F>>>
  /** Headers in files, if they differ from the names in JSON. A field may have several. */
  readonly headers?: ImportHeaders<NoInfer<K>, NoInfer<F>>
  /**
   * The number of the header's row, as in a spreadsheet program. Default: it is found among the first 30 rows, below
   * titles.
   */
  readonly headerRow?: number
  /** Rows of one transaction. Default: all. */
  readonly chunkSize?: number
  /**
   * Whether an import stores nothing if a row fails. It is then one transaction, also with a `chunkSize`. A client cannot
   * turn it off. Default false.
   */
  readonly allOrNothing?: boolean
  /**
   * Sees the cells of each row before they are split among the models. It may change them, add columns, skip the row or
   * reject it.
   */
  readonly prepareRow?: PrepareRow
  /**
   * The action for a row of totals. Its only text is a label like `Total`, `Summe netto` or `合計`, beside numbers. Or it
   * cannot be read, has such a word, and has no value of the `uniqueFields`. `skip` skips it with a warning. `fail` says so
   * in its error; if the row can be read, it is stored with a warning. Default `fail`.
   */
  readonly totalsRows?: TotalsRows
  /**
   * The format of numbers, dates and booleans in text cells, as a language tag: with `de-DE`, `1.234,56`, `31.12.2026`
   * and `ja`. Typed cells of workbooks and ISO dates need no locale.
   */
  readonly locale?: string
  /**
   * The encoding of CSV files that are not Unicode, such as `windows-1251` or `shift_jis`. Default: `windows-1252` with a
   * warning, if a file can have it.
   */
  readonly encoding?: string
}

/** A field of an import, or a source field; `cities.name` if two models have the name. */
export type ImportField<K extends string = string, F extends string = string> = F | `${K}.${F}`

/**
 * Fields by header: `{ 'Airport code': 'iata', IATA: 'iata' }`. Letter case does not matter. One column may feed
 * several fields. Templates write the first header of a field.
 */
export type ImportHeaders<K extends string = string, F extends string = string> = {
  readonly [header: string]: ImportField<K, F> | readonly ImportField<K, F>[]
}

/**
 * Changes a cell before it is read as its column's type. The result is read like a cell. A `ValidationError` that it
 * throws is the row's error; the text of other errors is not reported.
 */
export type ImportTransform = (value: ImportCell) => unknown

/** Transforms by field or source field; `cities.name` if two models have the name. */
export type ImportTransforms<F extends string = string> = {
  readonly [P in F | `${string}.${F}`]?: ImportTransform
}

/** Options of a model whose rows can update stored records. */
export interface FoundBy<F extends string> extends Omit<ImportPolicy, 'createOnly'> {
  readonly uniqueFields: readonly F[]
  readonly createOnly?: false
}

/** Options of a model whose rows only create records. */
export interface CreatedAnew {
  readonly uniqueFields?: readonly []
  readonly createOnly: true
}

/**
 * The import of one model. Names are checked at compile time.
 *
 * @example
 * const cityRows = importModel({
 *   model: cities,
 *   fields: ['name', 'latitude', 'longitude'],
 *   uniqueFields: ['country', 'name'],
 *   foreignKeys: { country: importForeignKey({ model: countries, lookupField: 'iso2', sourceField: 'country_code' }) },
 * })
 */
export function importModel<
  M extends Model,
  const F extends FieldName<M>,
  const S extends string = never,
  const D extends string = never,
  const L extends string = never,
>(
  config: {
    readonly model: RelatedModel<M>
    readonly fields: readonly (F | NoInfer<S>)[]
    readonly foreignKeys?: { readonly [K in FieldName<M>]?: ImportForeignKey<Model, S> }
    readonly computedFields?: { readonly [K in FieldName<M> | NoInfer<S>]?: ComputedField }
    readonly constantFields?: { readonly [K in FieldName<M> | NoInfer<S>]?: unknown }
    readonly manyToMany?: Readonly<Record<string, ImportManyToMany<Model, D>>>
    readonly lists?: readonly L[]
    readonly deleteWhen?: ImportDeleteWhen<D>
    readonly version?: FieldName<M>
    readonly optional?: readonly (FieldName<M> | NoInfer<S | D | L>)[]
    readonly sensitive?: readonly (FieldName<M> | NoInfer<S | D | L>)[]
  } & (FoundBy<FieldName<M> | NoInfer<S>> | CreatedAnew),
): ImportModel<Model, NoInfer<F | S | D | L>> {
  // NoInfer: written inline, the names would be inferred as any string. Models differ in their fields' names; readers
  // of the configuration treat them as strings and check them.
  return config as unknown as ImportModel<Model, F | S | D | L>
}

/**
 * The foreign key of a row: the record of `model` whose `lookupField` equals the cell in `sourceField`. No such record,
 * or several, is an error of the row.
 *
 * @example
 * const country = importForeignKey({ model: countries, lookupField: 'iso2', sourceField: 'country_code' })
 */
export function importForeignKey<M extends Model, const S extends string>(
  config: ImportForeignKey<M, S>,
): ImportForeignKey<Model, S> {
  // As above: checked against its own model, and a string from here on.
  return config as unknown as ImportForeignKey<Model, S>
}

/**
 * The records that one cell links to a record by a join table, each by its `lookupField`, with a `separator` between
 * two. A row sets the links to exactly these records; an empty cell removes all. A value without a unique record is an
 * error of the row.
 *
 * @example
 * const bookRows = importModel({
 *   model: books,
 *   fields: ['isbn', 'title'],
 *   uniqueFields: ['isbn'],
 *   manyToMany: { tags: importManyToMany({ model: tags, lookupField: 'label', sourceField: 'tags', through: bookTags }) },
 * })
 */
export function importManyToMany<M extends Model, const S extends string, T extends Model = Model>(
  config: Omit<ImportManyToMany<M, S>, 'through' | 'throughFields'> & {
    readonly through?: T
    readonly throughFields?: readonly [source: FieldName<T>, target: FieldName<T>]
  },
): ImportManyToMany<Model, S> {
  return config as unknown as ImportManyToMany<Model, S>
}
