import type { ExportColumnSettings, ExportFormat } from '../exporting/formats.ts'
import type { ImportMapping } from '../importing/options.ts'
import type { WireKeyObject } from '../model/wire-row.ts'
import type { SerializerBody, SerializerData } from '../serializer/model-serializer.ts'
import type { BulkCount } from '../viewset/bulk/answer.ts'
import type { BulkUpsertReport } from '../viewset/bulk/upsert.ts'
import type { ImportData } from '../viewset/import/import-reply.ts'
import type { PreviewData } from '../viewset/import/preview-data.ts'
import type { JobData } from '../viewset/jobs/job-data.ts'
import type { ListPage } from '../viewset/reply.ts'
import type {
  ActionsOf,
  ClassTypes,
  IdOf,
  Returned,
  Sent,
  SettingOf,
  ShownBy,
  Simplify,
  TypesOf,
  Unless,
  WhenFilled,
} from './class-types.ts'
import type { Page } from './create-client.ts'
import type { JobsClient } from './job-calls.ts'
import type { CallOptions, RequestOptions } from './options.ts'
import type { ExportQuery, ListQuery, PaginationOf } from './query-types.ts'
import type { Answer, Download } from './send.ts'
import type { OnProgress, Upload } from './upload.ts'

/** What is registered on the server: classes by the names of their resources. */
export type Resources = Readonly<Record<string, abstract new (...values: never[]) => object>>

/** A client of the resources `R`. */
export type Client<R> = { readonly [K in keyof R]: WhenFilled<K, ResourceClient<R[K]>> } & GeneralCalls &
  ('jobs' extends keyof R ? unknown : { readonly jobs: JobsClient })

/** What a client can ask beside its resources. */
export interface GeneralCalls {
  /**
   * Asks for any path behind the API's prefix: routes of mixins that no type of the client knows.
   *
   * @throws ClientError
   * @example
   * const { data } = await client.$request<{ touched: number }>('POST', '/articles/touch/', { body: { all: true } })
   */
  $request<T = unknown>(method: string, path: string, options?: RequestOptions): Promise<Answer<T>>
}

/** What a client does with one resource: the methods whose mixins its class has, and its custom actions. */
export type ResourceClient<C> = {
  readonly [K in keyof ResourceMethods<C, TypesOf<C>> as MixinOf<K> extends TypesOf<C>['mixins']
    ? K
    : never]: ResourceMethods<C, TypesOf<C>>[K]
} & CustomActions<C, TypesOf<C>>

type CustomActions<C, T extends ClassTypes> = {
  /** Actions about the resource as a whole, by their addresses: `actions.top.get()`. */
  readonly actions: ActionsOf<T, ShownBy<C, T>, false>
  /** Actions about one record: `actionsOf(id).rate.post({ stars: 5 })`. */
  actionsOf(id: IdOf<T>): ActionsOf<T, ShownBy<C, T>, true>
}

/** The mixin that brings the route of a method. */
type MixinOf<K> = K extends keyof Mixins ? Mixins[K] : never
type Mixins = {
  list: 'ListModelMixin'
  all: 'ListModelMixin'
  retrieve: 'RetrieveModelMixin'
  create: 'CreateModelMixin'
  update: 'UpdateModelMixin'
  partialUpdate: 'UpdateModelMixin'
  destroy: 'DestroyModelMixin'
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
}

/** What a client sends to change a record: its key stays what it is. */
type Changes<T extends ClassTypes> = Omit<SerializerBody<T['serializer']>, keyof WireKeyObject<T['model']>>
type Body<T extends ClassTypes> = SerializerBody<T['serializer']>
type Keyed<T extends ClassTypes, B> = Simplify<WireKeyObject<T['model']> & B>

type Nothing = Record<string, never>
/** What a write answers, where a setting may say that it answers less. */
type IfReturned<Setting, Data, Less> = Setting extends false ? Less : boolean extends Setting ? Data | Less : Data

type Written<C, K extends string, Standard, Shown> = Unless<Returned<C, K>, Standard, Shown>

/** The items of a list: records, which know their position where the pagination style does. */
type ItemOf<C, T extends ClassTypes> =
  Returned<C, 'list'> extends ListPage<infer I>
    ? Unless<I, SerializerData<T['serializer']> & { readonly index?: number }, Listed<ShownBy<C, T>, T>>
    : Sent<Returned<C, 'list'>, ShownBy<C, T>> extends (infer I)[]
      ? I
      : unknown
type Listed<Shown, T extends ClassTypes> =
  SettingOf<T, 'appendIndexes'> extends false
    ? Shown
    : Simplify<Shown & (PaginationOf<T> extends Positioned | null ? { index: number } : { index?: number })>
type Positioned = { readonly pageQueryParam: string } | { readonly limitQueryParam: string }

/** What a bulk delete, soft delete or restore has done. */
export interface DeleteReport<Id> {
  /** Identifiers submitted, repeated ones included. */
  readonly requested_count: number
  readonly count: number
  /** Those that match no record. */
  readonly missing_ids: readonly Id[]
}

/** What an export is told. */
export interface ExportBody<Field extends string> {
  readonly file_type: ExportFormat
  /** The columns, in their order: fields, and paths such as `author__name`. */
  readonly includes?: readonly (Field | (string & {}))[]
  readonly column_config?: Readonly<Record<string, ExportColumnSettings>>
  /** Rows to be made a file, in place of the resource's own. */
  readonly data?: readonly object[]
  readonly filename?: string
  readonly title?: string
}

/** What a preview of an import is told. */
export interface PreviewOptions extends CallOptions {
  /** Which field each header means, where the file does not say it: `{ 'Airport code': 'iata', Notes: null }`. */
  readonly mapping?: ImportMapping
  /** Told how much of the file is sent. */
  readonly onProgress?: OnProgress
}

/** What an import is told. */
export interface ImportOptions extends PreviewOptions {
  /** True adds to what is stored, false replaces it. */
  readonly append_data: boolean
  /** Stores nothing, and tells what would be. */
  readonly dry_run?: boolean
  /** Tells old and new values of a dry run. */
  readonly diff?: boolean
  /** Answers a file of the rows that failed, where any has: to be put right and sent again. */
  readonly failed_rows?: boolean
  /** Answers a job at once, which imports the file in the background. */
  readonly background?: boolean
}

/** How an export is asked for. */
export interface ExportCallOptions extends CallOptions {
  /** Answers a job at once, which makes the file in the background. */
  readonly background?: boolean
}

/** What is answered: `Now`, and a job where that is asked for, or may be. */
type Answered<O, Now> = 'background' extends keyof O
  ? (true extends O['background'] ? JobData : never) | (O extends { readonly background: true } ? never : Now)
  : Now

/** The job that a large file becomes by itself, where its resource has such a bound. */
type LargeOf<T extends ClassTypes> = SettingOf<T, 'importBackgroundFrom'> extends number ? JobData : never

/** The file that an import may answer: where it is asked for, or may be. */
type FileOf<O extends ImportOptions> = 'failed_rows' extends keyof O
  ? true extends O['failed_rows']
    ? Download
    : never
  : never

/** All that a client can do with a resource by the built-in mixins. */
type ResourceMethods<C, T extends ClassTypes> = {
  /** One page of the list, or the whole list with `paginated: false`. @throws ClientError */
  list(query?: ListQuery<T>, options?: CallOptions): Promise<Page<ItemOf<C, T>>>
  /** All items of the list, page by page as they are asked for. @throws ClientError */
  all(query?: ListQuery<T>, options?: CallOptions): AsyncGenerator<ItemOf<C, T>, void, undefined>
  /** @throws ClientError with status 404 where there is no such record */
  retrieve(id: IdOf<T>, options?: CallOptions): Promise<Unless<Returned<C, 'retrieve'>, Data<T>, ShownBy<C, T>>>
  /** @throws ClientError */
  create(
    body: Body<T>,
    options?: CallOptions,
  ): Promise<
    Written<C, 'create', Partial<Data<T>>, IfReturned<SettingOf<T, 'returnDataOnCreate'>, ShownBy<C, T>, Nothing>>
  >
  /** Sets all fields of a record, by PUT: one that is left out gets no other value. @throws ClientError */
  update(
    id: IdOf<T>,
    body: Simplify<Changes<T>>,
    options?: CallOptions,
  ): Promise<
    Written<C, 'update', Partial<Data<T>>, IfReturned<SettingOf<T, 'returnDataOnUpdate'>, ShownBy<C, T>, Nothing>>
  >
  /** Sets the fields that are given, by PATCH. @throws ClientError */
  partialUpdate(
    id: IdOf<T>,
    body: Simplify<Partial<Changes<T>>>,
    options?: CallOptions,
  ): Promise<
    Written<C, 'update', Partial<Data<T>>, IfReturned<SettingOf<T, 'returnDataOnUpdate'>, ShownBy<C, T>, Nothing>>
  >
  /** @throws ClientError */
  destroy(id: IdOf<T>, options?: CallOptions): Promise<void>
  /** Creates all of these records or none; they come back in the same order. @throws ClientError with errors such as `2.name` */
  bulkCreate(
    items: readonly Body<T>[],
    options?: CallOptions,
  ): Promise<IfReturned<SettingOf<T, 'returnDataOnCreate'>, ShownBy<C, T>[], BulkCount>>
  /** Sets all fields of many records, by PUT. @throws ClientError */
  bulkUpdate(
    items: readonly Keyed<T, Changes<T>>[],
    options?: CallOptions,
  ): Promise<IfReturned<SettingOf<T, 'returnDataOnUpdate'>, ShownBy<C, T>[], BulkCount>>
  /** Sets the fields that are given of many records, by PATCH. @throws ClientError */
  bulkPartialUpdate(
    items: readonly Keyed<T, Partial<Changes<T>>>[],
    options?: CallOptions,
  ): Promise<IfReturned<SettingOf<T, 'returnDataOnUpdate'>, ShownBy<C, T>[], BulkCount>>
  /** Updates the records that have an item's unique fields, and creates the others. @throws ClientError */
  bulkUpsert(items: readonly Body<T>[], options?: CallOptions): Promise<BulkUpsertReport>
  /** @throws ClientError */
  bulkDelete(ids: readonly IdOf<T>[], options?: CallOptions): Promise<DeleteReport<IdOf<T>>>
  /** Marks records as deleted. @throws ClientError */
  bulkSoftDelete(ids: readonly IdOf<T>[], options?: CallOptions): Promise<DeleteReport<IdOf<T>>>
  /** Takes a soft delete back. @throws ClientError */
  bulkRestore(ids: readonly IdOf<T>[], options?: CallOptions): Promise<DeleteReport<IdOf<T>>>
  /** The list as a file, all pages of it. @throws ClientError */
  export<const O extends ExportCallOptions = CallOptions>(
    body: ExportBody<keyof Data<T> & string>,
    query?: ExportQuery<T>,
    options?: O,
  ): Promise<Answered<O, Download>>
  /**
   * Sends a file to be imported. Rows that fail are no error: the result tells them, with `success: false`, or with
   * `failed_rows` a file of them.
   *
   * @throws ClientError for a file that cannot be imported at all
   */
  importFile<const O extends ImportOptions>(
    file: Upload,
    options: O,
  ): Promise<Answered<O, ImportData | FileOf<O> | LargeOf<T>>>
  /**
   * Looks at a file without storing anything: what its columns would be taken for, and what its first rows say.
   *
   * @throws ClientError for a file that cannot be read at all
   */
  importPreview(file: Upload, options?: PreviewOptions): Promise<PreviewData>
  /** A file to fill in. @throws ClientError */
  importTemplate(options?: CallOptions & { readonly file_type?: 'csv' | 'xlsx' }): Promise<Download>
}
type Data<T extends ClassTypes> = SerializerData<T['serializer']>
