import type { FieldName, Model } from '../model/kit.ts'
import type { RelatedModel } from '../serializer/scoped.ts'
import type { ImportFormat } from '../tabular/read/file.ts'
import type { ComputedField, ImportCell, PrepareRow } from './import-hooks.ts'

/** How a foreign key is found from a cell of the file (SPEC, "Import configuration"); made by {@link importForeignKey}. */
export interface ImportForeignKey<M extends Model = Model, S extends string = string> {
  /** The related model, or those of its records that a row may refer to: `scoped(model, where)`. */
  readonly model: RelatedModel<M>
  /** The field of the related model that the cell holds. */
  readonly lookupField: FieldName<M>
  /** The column of the file that holds the lookup value, by its literal header. */
  readonly sourceField: S
}

/**
 * The records that a record is linked to, as one cell names them (`"tag a; tag b"`); made by {@link importManyToMany}.
 */
export interface ImportManyToMany<M extends Model = Model, S extends string = string> {
  /** The related model, or those of its records that a row may link: `scoped(model, where)`. */
  readonly model: RelatedModel<M>
  /** The field of the related model that the cell holds, once for each link. */
  readonly lookupField: FieldName<M>
  /** The column of the file, by its literal header. */
  readonly sourceField: S
  /** What stands between two records. Default `;`. */
  readonly separator?: string
  /** The join table. Default: that of the serializer's field of this name. */
  readonly through?: Model
  /** The join table's two foreign keys, to this model and to the related one, where it has more than those. */
  readonly throughFields?: readonly [source: string, target: string]
}

/** Which rows delete their records. */
export interface ImportDeleteWhen<S extends string = string> {
  /** The column of the file, by its literal header; it may be that of a field. A file without it deletes nothing. */
  readonly sourceField: S
  /** What the column says in a row that deletes, in any case of letters: `['yes', 'x', true]`. */
  readonly equals: readonly (string | number | boolean)[]
}

/** What a row does with the stored record that it is about. */
export type OnExisting = 'update' | 'skip' | 'fail'
/** What a row does where the record that it is about is not stored. */
export type OnMissing = 'create' | 'skip' | 'fail'

/** What the rows of a model do. */
export interface ImportPolicy {
  /**
   * `update` writes to a stored record; `skip` leaves it as it is, and what else the row feeds may refer to it; `fail`
   * is an error of the row. Default `update`.
   */
  readonly onExisting?: OnExisting
  /**
   * `create` makes a record that is not stored; `skip` leaves the row out, with all that it feeds; `fail` is an error of
   * the row. Default `create`.
   */
  readonly onMissing?: OnMissing
  /**
   * A row that says what is stored already writes nothing: it counts as `unchanged`, `updatedAt` stays as it is, and no
   * hook hears of it. Default false.
   */
  readonly skipUnchanged?: boolean
  /**
   * No record is looked for, and there are no `uniqueFields`: every row creates one, also when the file comes a second
   * time. What the database keeps unique is an error of the row. Default false.
   */
  readonly createOnly?: boolean
  /**
   * The table has no unique constraint over the `uniqueFields`, and that is meant: each import locks the table, so that
   * two of them create no record twice. Without it, a warning says so at start. Default false.
   */
  readonly matchWithoutIndex?: boolean
}

/**
 * How one model is imported (SPEC, "Import configuration"); made by {@link importModel}. `F` are the names that
 * transforms may use: imported fields and source fields.
 */
export interface ImportModel<M extends Model = Model, F extends string = string> extends ImportPolicy {
  /** The model, or those of its records that an import may update: `scoped(model, where)`. */
  readonly model: RelatedModel<M>
  /**
   * The model's columns that the file holds. Their headers are the names on the wire: `native_name`. The source fields
   * of foreign keys may be named here as well.
   */
  readonly fields: readonly F[]
  /**
   * A row that has the values of a stored record in all of these updates it; others are created. NULL matches NULL. A
   * relation is named by itself or by its source field. Only `createOnly` does without.
   */
  readonly uniqueFields?: readonly (F | FieldName<M>)[]
  /** Relations by their name; they need not stand in `fields` too. */
  readonly foreignKeys?: { readonly [K in FieldName<M>]?: ImportForeignKey<Model, F> }
  /** Fields, or source fields, that are computed from the row; no file has a column for them. */
  readonly computedFields?: { readonly [K in F | FieldName<M>]?: ComputedField }
  /** Fields, or source fields, that are the same in all rows, as code writes them; no file has a column for them. */
  readonly constantFields?: { readonly [K in F | FieldName<M>]?: unknown }
  /** Relations to many with a join table, by their names: a row sets the links of its record to exactly these. */
  readonly manyToMany?: Readonly<Record<string, ImportManyToMany<Model, F>>>
  /**
   * A row that says so deletes the record that it finds, and does nothing else; of its cells, only the `uniqueFields`
   * count. One that finds none is left out, or fails where `onMissing` is `fail`. For the last model of the order.
   */
  readonly deleteWhen?: ImportDeleteWhen<F>
}

/** What a file holds and how it is written (SPEC, "Import configuration"). */
export interface ImportFileConfig<K extends string = string, F extends string = string> {
  /** The format of the file, or those that are taken. */
  readonly fileFormat: ImportFormat | readonly ImportFormat[]
  /** The models in the order in which a row is written: what others refer to comes first. */
  readonly order: readonly NoInfer<K>[]
  /** The models by a key of your choice, which is the name of their sheet in a workbook. */
  readonly models: Readonly<Record<K, ImportModel<Model, F>>>
  /** What files call the fields, where it is not their name on the wire. Several headers may stand for one field. */
  readonly headers?: ImportHeaders<NoInfer<K>, NoInfer<F>>
  /** Rows written in one transaction; without it, all rows are. */
  readonly chunkSize?: number
  /**
   * Sees the cells of each row before they are split among the models: it may change them, feed columns that the file
   * does not have, leave the row out or refuse it.
   */
  readonly prepareRow?: PrepareRow
  /**
   * How numbers, dates and booleans are written in text cells, as a language tag: with `de-DE`, `1.234,56`, `31.12.2026`
   * and `ja`. Cells that are typed, as in workbooks, and ISO dates are read as without it.
   */
  readonly locale?: string
}

/** A field of an import, or a source field; `cities.name` where two models have the name. */
export type ImportField<K extends string = string, F extends string = string> = F | `${K}.${F}`

/**
 * Fields by the header of their column, as files have it: `{ 'Airport code': 'iata', IATA: 'iata' }`. It matches in any
 * case. One column may feed several fields. Templates write the first header of a field.
 */
export type ImportHeaders<K extends string = string, F extends string = string> = {
  readonly [header: string]: ImportField<K, F> | readonly ImportField<K, F>[]
}

/**
 * Changes a cell before it is read as its column's type; what it returns is read as if it had stood in the file.
 * A `ValidationError` that it throws is the row's error; the text of any other error stays out of the report.
 */
export type ImportTransform = (value: ImportCell) => unknown

/** Transforms by field or source field; `cities.name` where two models have the name. */
export type ImportTransforms<F extends string = string> = {
  readonly [P in F | `${string}.${F}`]?: ImportTransform
}

/** Rows that are about stored records, by what they are found by. */
export interface FoundBy<F extends string> extends Omit<ImportPolicy, 'createOnly'> {
  readonly uniqueFields: readonly F[]
  readonly createOnly?: false
}

/** Rows of which each makes a record. */
export interface CreatedAnew {
  readonly uniqueFields?: readonly []
  readonly createOnly: true
}

/**
 * How one model of an import is read and matched; a typo does not compile.
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
>(
  config: {
    readonly model: RelatedModel<M>
    readonly fields: readonly (F | NoInfer<S>)[]
    readonly foreignKeys?: { readonly [K in FieldName<M>]?: ImportForeignKey<Model, S> }
    readonly computedFields?: { readonly [K in FieldName<M> | NoInfer<S>]?: ComputedField }
    readonly constantFields?: { readonly [K in FieldName<M> | NoInfer<S>]?: unknown }
    readonly manyToMany?: Readonly<Record<string, ImportManyToMany<Model, D>>>
    readonly deleteWhen?: ImportDeleteWhen<D>
  } & (FoundBy<FieldName<M> | NoInfer<S>> | CreatedAnew),
): ImportModel<Model, NoInfer<F | S | D>> {
  // NoInfer: written inline, the names would be inferred from the place of the call, where any string is one.
  // Models differ in their fields' names; what reads the configuration knows them as strings, and checks them.
  return config as unknown as ImportModel<Model, F | S | D>
}

/**
 * How the foreign key of a row is found: the record of `model` whose `lookupField` is what stands in `sourceField`.
 * None is an error of the row, and so are several.
 *
 * @example
 * const country = importForeignKey({ model: countries, lookupField: 'iso2', sourceField: 'country_code' })
 */
export function importForeignKey<M extends Model, const S extends string>(
  config: ImportForeignKey<M, S>,
): ImportForeignKey<Model, S> {
  // As above: the field's name was checked against its own model, and is a string from here on.
  return config as unknown as ImportForeignKey<Model, S>
}

/**
 * The records that a record is linked to by a join table, as one cell names them: each by its `lookupField`, with a
 * `separator` between two. A row sets the links to exactly these, and an empty cell to none. One that does not exist, or
 * is not unique, is an error of the row.
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
