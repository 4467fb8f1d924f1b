import type { Renamed } from '../core/wire-names.ts'
import type { CsvDelimiter } from '../exporting/csv-form.ts'
import type { ExportColumnSettings, ExportFormat } from '../exporting/formats.ts'
import type { ImportMapping, ImportValues } from '../importing/options.ts'
import type { SavedMapping } from '../importing/saved/saved-mapping.ts'
import type { FieldName, Model } from '../model/kit.ts'
import type { WireBody, WireKey, WireKeyObject } from '../model/wire-row.ts'
import type { SerializerBody, SerializerData } from '../serializer/model-serializer.ts'
import type { ListPage, Reply } from '../viewset/answer/reply.ts'
import type { BulkDeleteReport } from '../viewset/bulk/delete-report.ts'
import type { BulkCount } from '../viewset/bulk/items.ts'
import type { BulkUpsertReport } from '../viewset/bulk/upsert.ts'
import type { ImportData, PreviewData } from '../viewset/files/import-reply.ts'
import type { HistoryDifference, HistoryEntryData } from '../viewset/history/read-history.ts'
import type { JobData } from '../viewset/jobs/job-data.ts'
import type {
  ActionsOf,
  ClassTypes,
  IdOf,
  KeyOf,
  Returned,
  Sent,
  SettingOf,
  ShownBy,
  Simplify,
  TypesOf,
  Unless,
  WhenFilled,
} from './class-types.ts'
import type { JobsClient } from './job-calls.ts'
import type { CallOptions, RequestOptions } from './options.ts'
import type { Choice, Chooses, Chosen, ExportQuery, ListQuery, PaginationOf } from './query-types.ts'
import type { Page } from './resource-client.ts'
import type { Answer, Download } from './send.ts'
import type { OnProgress, Upload } from './upload.ts'

/** The registered resources: classes by name. */
export type Resources = Readonly<Record<string, abstract new (...values: never[]) => object>>

/** A client of the resources `R`. */
export type Client<R> = { readonly [K in keyof R]: WhenFilled<K, ResourceClient<R[K]>> } & GeneralCalls &
  ('jobs' extends keyof R ? unknown : { readonly jobs: JobsClient })

/** The calls that belong to no resource. */
export interface GeneralCalls {
  /**
   * Requests any path behind the API's prefix, such as routes of mixins that the client's types do not know.
   *
   * @throws ClientError
   * @example
   * const { data } = await client.$request<{ touched: number }>('POST', '/articles/touch/', { body: { all: true } })
   */
  $request<T = unknown>(method: string, path: string, options?: RequestOptions): Promise<Answer<T>>
}

/** The calls of one resource: the methods of its class's mixins, and its custom actions. */
export type ResourceClient<C> = {
  readonly [K in keyof ResourceMethods<C, TypesOf<C>> as MixinOf<K> extends TypesOf<C>['mixins']
    ? K
    : never]: ResourceMethods<C, TypesOf<C>>[K]
} & CustomActions<C, TypesOf<C>>

type CustomActions<C, T extends ClassTypes> = {
  readonly actions: ActionsOf<T, ShownBy<C, T>, false>
  actionsOf(id: IdOf<T>): ActionsOf<T, ShownBy<C, T>, true>
}

type MixinOf<K> = K extends keyof Mixins ? Mixins[K] : never
type Mixins = {
  list: 'ListModelMixin'
  all: 'ListModelMixin'
  retrieve: 'RetrieveModelMixin'
  create: 'CreateModelMixin'
  update: 'UpdateModelMixin'
  partialUpdate: 'UpdateModelMixin'
  destroy: 'DestroyModelMixin'
  restore: 'RestoreModelMixin'
  bulkCreate: 'BulkCreateModelMixin'
  bulkUpdate: 'BulkUpdateModelMixin'
  bulkPartialUpdate: 'BulkUpdateModelMixin'
  bulkUpsert: 'BulkUpsertModelMixin'
  bulkDelete: 'BulkHardDeleteModelMixin'
  bulkSoftDelete: 'BulkDeleteModelMixin'
  bulkRestore: 'BulkRestoreModelMixin'
  export: 'FileExportMixin'
  importFile: 'FileImportMixin'
  importPreview: 'FileImportMixin'
  importTemplate: 'FileImportMixin'
  importMappings: 'FileImportMixin'
  saveImportMapping: 'FileImportMixin'
  deleteImportMapping: 'FileImportMixin'
  history: 'HistoryModelMixin'
  historyDiff: 'HistoryModelMixin'
  retrieveAt: 'HistoryModelMixin'
  revert: 'HistoryModelMixin'
}

type Changes<T extends ClassTypes> = Omit<SerializerBody<T['serializer']>, keyof WireKeyObject<T['model']>>
type Body<T extends ClassTypes> = SerializerBody<T['serializer']>
type Keyed<T extends ClassTypes, B> = Simplify<WireKeyObject<T['model']> & MayHaveTag<B, T>>

/** A key, or an object with the key: with a version, it may have the tag of the record. */
type NamedRecord<T extends ClassTypes> =
  | KeyOf<T>
  | (SettingOf<T, 'version'> extends string
      ? Simplify<KeyObject<T> & { readonly _etag?: string }>
      : HasTypedKey<T> extends true
        ? never
        : KeyObject<T>)
type HasTypedKey<T extends ClassTypes> = [WireKey<T['model']>] extends [never] ? false : true
/** Types of tables do not have the columns of a key of several columns. So any column that can be one is taken. */
type KeyObject<T extends ClassTypes> = HasTypedKey<T> extends true ? WireKeyObject<T['model']> : KeyParts<T['model']>
type KeyParts<M extends Model> = Simplify<
  Renamed<{
    readonly [K in FieldName<M> as WireBody<M>[K] extends string | number ? K : never]?: WireBody<M>[K]
  }>
>

type Nothing = Record<string, never>
type IfReturned<Setting, Data, Less> = Setting extends false ? Less : boolean extends Setting ? Data | Less : Data

type Written<C, K extends string, Standard, Shown> = Unless<Returned<C, K>, Standard, Shown>

type ItemOf<C, T extends ClassTypes> =
  Returned<C, 'list'> extends ListPage<infer I>
    ? Unless<I, SerializerData<T['serializer']> & { readonly index?: number }, Listed<ShownBy<C, T>, T>>
    : Sent<Returned<C, 'list'>, ShownBy<C, T>> extends (infer I)[]
      ? I
      : unknown
type Listed<Shown, T extends ClassTypes> =
  SettingOf<T, 'appendIndexes'> extends false
    ? Tagged<Shown, T>
    : Simplify<Tagged<Shown, T> & (PaginationOf<T> extends Positioned | null ? { index: number } : { index?: number })>
/** An item of a list or a bulk answer, with its tag if the resource appends tags. */
type Tagged<Shown, T extends ClassTypes> =
  SettingOf<T, 'appendEtags'> extends true ? Simplify<Shown & { _etag: string }> : Shown
/** A body that may name the version that it changes. */
type MayHaveTag<B, T extends ClassTypes> =
  SettingOf<T, 'version'> extends string ? B & { readonly _etag?: string | null } : B
type Positioned = { readonly pageQueryParam: string } | { readonly limitQueryParam: string }

/** The result of a bulk delete, soft delete or restore. */
export interface DeleteReport<Id> extends Omit<BulkDeleteReport, 'missing_ids'> {
  /** Identifiers without a record, as they were sent. */
  readonly missing_ids: readonly Id[]
}

/** The body of an export. */
export interface ExportBody<Field extends string> {
  readonly file_type: ExportFormat
  /** The columns in their order: fields, and paths such as `author__name`. */
  readonly includes?: readonly (Field | (string & {}))[]
  readonly column_config?: Readonly<Record<string, ExportColumnSettings>>
  /** Rows for the file instead of the resource's own. */
  readonly data?: readonly object[]
  readonly filename?: string
  readonly title?: string
  /** What stands between the cells of a CSV file: a comma, a semicolon or a tab. */
  readonly delimiter?: CsvDelimiter
  /** The form of numbers, dates and booleans in a CSV file, as a language tag such as `de-DE`. */
  readonly locale?: string
}

/** Options of a preview of an import. */
export interface PreviewOptions extends CallOptions {
  /** The field of each header, if the file does not name it: `{ 'Airport code': 'iata', Notes: null }`. */
  readonly mapping?: ImportMapping
  /**
   * The number of the row with the headers, as in a spreadsheet program, or that of each sheet of a workbook:
   * `{ Prices: 4 }`. Default: it is found.
   */
  readonly header_row?: number | Readonly<Record<string, number>>
  /** Other values for cells, by header and by the text in the file: `{ Country: { Norge: 'NO', 'n/a': null } }`. */
  readonly values?: ImportValues
  /** The language of texts with numbers, dates and booleans, as a language tag such as `de-DE`. */
  readonly locale?: string
  /** The encoding of a CSV file, such as `windows-1251`. Default: it is found. */
  readonly encoding?: string
  /** Called with the progress of the upload. */
  readonly onProgress?: OnProgress
}

/** The page of a list of saved mappings. */
export interface MappingQuery {
  readonly page?: number
  readonly page_size?: number
}

/** A mapping to save. */
export interface SavedMappingBody
  extends Pick<PreviewOptions, 'mapping' | 'header_row' | 'values' | 'locale' | 'encoding'> {
  /** What the user calls it. Default: an empty text. */
  readonly name?: string
  /** The headers of the file, as the preview shows them; in a workbook, by the name of their sheet. */
  readonly headers: readonly string[] | Readonly<Record<string, readonly string[]>>
  /** Whether it is for all users. Default false. */
  readonly everyone?: boolean
}

/** Options of an import. */
export interface ImportOptions extends PreviewOptions {
  /** True adds to the stored records, false replaces them. */
  readonly append_data: boolean
  /** Stores nothing and reports the result. */
  readonly dry_run?: boolean
  /** Reports old and new values of a dry run. */
  readonly diff?: boolean
  /** Stores nothing if a row fails. */
  readonly all_or_nothing?: boolean
  /** Rows with warnings fail. */
  readonly fail_on_warnings?: boolean
  /** Returns a file of the failed rows, if any: correct them and send it again. */
  readonly failed_rows?: boolean
  /** What counts for a cell that was changed in an edited file and in the database. Default `fail`: the row fails. */
  readonly on_conflict?: 'fail' | 'yours' | 'theirs'
  /** Deletes the records of rows that are marked for deletion in an edited file. Without it, such a file is refused. */
  readonly delete_marked?: boolean
  /** Returns a job at once, which imports the file in the background. */
  readonly background?: boolean
}

/** Options of an export. */
export interface ExportCallOptions extends CallOptions {
  /** Returns a job at once, which makes the file in the background. */
  readonly background?: boolean
}

type Answered<O, Now> = 'background' extends keyof O
  ? (true extends O['background'] ? JobData : never) | (O extends { readonly background: true } ? never : Now)
  : Now

type LargeOf<T extends ClassTypes> = SettingOf<T, 'importBackgroundFrom'> extends number ? JobData : never

type FileOf<O extends ImportOptions> = 'failed_rows' extends keyof O
  ? true extends O['failed_rows']
    ? Download
    : never
  : never

type ResourceMethods<C, T extends ClassTypes> = {
  /**
   * One page of the list, or the whole list with `paginated: false`. With `fields`, its items have the chosen fields
   * only. `lines.quantity` chooses a field of nested records; the compiler checks the
   * first two names of a path.
   *
   * @throws ClientError
   */
  list: Chooses<T> extends true
    ? <const Q extends ListQuery<T>>(query?: Q, options?: CallOptions) => Promise<Page<Chosen<T, ItemOf<C, T>, Q>>>
    : (query?: ListQuery<T>, options?: CallOptions) => Promise<Page<ItemOf<C, T>>>
  /** All items of the list, fetched page by page. @throws ClientError */
  all: Chooses<T> extends true
    ? <const Q extends ListQuery<T>>(
        query?: Q,
        options?: CallOptions,
      ) => AsyncGenerator<Chosen<T, ItemOf<C, T>, Q>, void, undefined>
    : (query?: ListQuery<T>, options?: CallOptions) => AsyncGenerator<ItemOf<C, T>, void, undefined>
  /** @throws ClientError with status 404 if there is no such record */
  retrieve: Chooses<T> extends true
    ? <const Q extends Choice<T>>(
        id: IdOf<T>,
        options?: CallOptions & { readonly query?: Q },
      ) => Promise<Chosen<T, Unless<Returned<C, 'retrieve'>, Data<T>, ShownBy<C, T>>, Q>>
    : (id: IdOf<T>, options?: CallOptions) => Promise<Unless<Returned<C, 'retrieve'>, Data<T>, ShownBy<C, T>>>
  /** @throws ClientError */
  create(
    body: Body<T>,
    options?: CallOptions,
  ): Promise<
    Written<C, 'create', Partial<Data<T>>, IfReturned<SettingOf<T, 'returnDataOnCreate'>, ShownBy<C, T>, Nothing>>
  >
  /** Sets all fields of a record, by PUT. Omitted optional fields keep their values. @throws ClientError */
  update(
    id: IdOf<T>,
    body: Simplify<MayHaveTag<Changes<T>, T>>,
    options?: CallOptions,
  ): Promise<
    Written<C, 'update', Partial<Data<T>>, IfReturned<SettingOf<T, 'returnDataOnUpdate'>, ShownBy<C, T>, Nothing>>
  >
  /** Sets the given fields of a record, by PATCH. @throws ClientError */
  partialUpdate(
    id: IdOf<T>,
    body: Simplify<MayHaveTag<Partial<Changes<T>>, T>>,
    options?: CallOptions,
  ): Promise<
    Written<C, 'update', Partial<Data<T>>, IfReturned<SettingOf<T, 'returnDataOnUpdate'>, ShownBy<C, T>, Nothing>>
  >
  /** @throws ClientError */
  destroy(id: IdOf<T>, options?: CallOptions): Promise<void>
  /** Reverts the soft delete of a record, which its primary key names. @throws ClientError */
  restore(id: KeyOf<T>, options?: CallOptions): Promise<Written<C, 'restore', Reply<Data<T>>, ShownBy<C, T>>>
  /**
   * Creates all of these records or none, and returns them in the same order. @throws ClientError with errors such as
   * `2.name`
   */
  bulkCreate(
    items: readonly Body<T>[],
    options?: CallOptions,
  ): Promise<IfReturned<SettingOf<T, 'returnDataOnCreate'>, Tagged<ShownBy<C, T>, T>[], BulkCount>>
  bulkUpdate(
    items: readonly Keyed<T, Changes<T>>[],
    options?: CallOptions,
  ): Promise<IfReturned<SettingOf<T, 'returnDataOnUpdate'>, Tagged<ShownBy<C, T>, T>[], BulkCount>>
  /** Sets the given fields of many records, by PATCH. @throws ClientError */
  bulkPartialUpdate(
    items: readonly Keyed<T, Partial<Changes<T>>>[],
    options?: CallOptions,
  ): Promise<IfReturned<SettingOf<T, 'returnDataOnUpdate'>, Tagged<ShownBy<C, T>, T>[], BulkCount>>
  /** Updates the records with an item's unique fields and creates the others. @throws ClientError */
  bulkUpsert(items: readonly MayHaveTag<Body<T>, T>[], options?: CallOptions): Promise<BulkUpsertReport>
  /** @throws ClientError */
  bulkDelete(ids: readonly NamedRecord<T>[], options?: CallOptions): Promise<DeleteReport<NamedRecord<T>>>
  /** Marks records as deleted. @throws ClientError */
  bulkSoftDelete(ids: readonly NamedRecord<T>[], options?: CallOptions): Promise<DeleteReport<NamedRecord<T>>>
  /** Reverts a soft delete. @throws ClientError */
  bulkRestore(ids: readonly NamedRecord<T>[], options?: CallOptions): Promise<DeleteReport<NamedRecord<T>>>
  /** The whole list as a file. @throws ClientError */
  export<const O extends ExportCallOptions = CallOptions>(
    body: ExportBody<keyof Data<T> & string>,
    query?: ExportQuery<T>,
    options?: O,
  ): Promise<Answered<O, Download>>
  /**
   * Imports a file. Failed rows are not an error: the result reports them with `success: false` or, with `failed_rows`,
   * is a file of them.
   *
   * @throws ClientError for a file that cannot be imported at all
   */
  importFile<const O extends ImportOptions>(
    file: Upload,
    options: O,
  ): Promise<Answered<O, ImportData | FileOf<O> | LargeOf<T>>>
  /**
   * Reads a file without storing anything: the fields of its columns, and the values of its first rows.
   *
   * @throws ClientError for a file that cannot be read at all
   */
  importPreview(file: Upload, options?: PreviewOptions): Promise<PreviewData>
  /** A template to fill in. @throws ClientError */
  importTemplate(options?: CallOptions & { readonly file_type?: 'csv' | 'xlsx' }): Promise<Download>
  /** A page of the saved mappings: own ones, then those of everyone. @throws ClientError */
  importMappings(query?: MappingQuery, options?: CallOptions): Promise<Page<SavedMapping>>
  /**
   * Saves a mapping for files with these headers. A saved mapping with the same headers and name is replaced.
   *
   * @throws ClientError with status 400 if the mapping does not fit the headers
   * @example
   * const { sheets } = await client.articles.importPreview(file)
   * const headers = sheets[0].headers.map(({ header }) => header)
   * await client.articles.saveImportMapping({ name: 'ERP', headers, mapping: { Titel: 'title' } })
   */
  saveImportMapping(body: SavedMappingBody, options?: CallOptions): Promise<SavedMapping>
  /** @throws ClientError with status 404 if the user sees no such mapping */
  deleteImportMapping(id: string, options?: CallOptions): Promise<void>
  /** A page of the changes of a record, the newest first. @throws ClientError */
  history(id: IdOf<T>, query?: HistoryQuery, options?: CallOptions): Promise<Page<HistoryEntryData<HistoryValues<T>>>>
  /** The fields that differ between the states after two entries. @throws ClientError */
  historyDiff(
    id: IdOf<T>,
    entries: { readonly from: number; readonly to: number },
    options?: CallOptions,
  ): Promise<HistoryDifference>
  /**
   * The record as it was at a time (ISO 8601). Related records are their identifiers.
   *
   * @throws ClientError with status 404 if there was no such record
   */
  retrieveAt(id: IdOf<T>, at: string, options?: CallOptions): Promise<HistoryValues<T>>
  /** Writes the state after an entry, or that of some fields. @throws ClientError */
  revert(
    id: IdOf<T>,
    wanted: { readonly entry: number; readonly fields?: readonly (keyof Data<T> & string)[] },
    options?: CallOptions,
  ): Promise<Partial<Data<T>>>
}

/** The pages of a history. */
export interface HistoryQuery {
  readonly page?: number
  readonly page_size?: number
}

/** Values of a history by the names of the record's fields. */
type HistoryValues<T extends ClassTypes> = { readonly [K in keyof Data<T>]?: unknown }
type Data<T extends ClassTypes> = SerializerData<T['serializer']>
