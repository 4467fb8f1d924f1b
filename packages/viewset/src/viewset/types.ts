import type { SQL } from 'drizzle-orm'
import type { ExportSettings } from '../exporting/export-service.ts'
import type { ImportFileConfig, ImportTransforms } from '../importing/config.ts'
import type { ImportService } from '../importing/import-service.ts'
import type { ImportResult } from '../importing/result.ts'
import type { ImportExamples } from '../importing/template-examples.ts'
import type { Field, FieldPath, Model } from '../model/kit.ts'
import type { ComputedOrdering } from '../query/computed-ordering-filter.ts'
import type { FilterSource } from '../query/filter-backend.ts'
import type { Lookup } from '../query/lookups.ts'
import type { PaginationClass } from '../query/pagination.ts'
import type { ModelRecord } from '../records/record.ts'
import type { RecordList } from '../records/record-list.ts'
import type { Data, Input, ModelSerializer } from '../serializer/model-serializer.ts'
import type { BulkCount } from './bulk/answer.ts'
import type { BulkChange } from './bulk/change.ts'
import type { BulkDeleteReport } from './bulk/delete-report.ts'
import type { BulkUpsertReport } from './bulk/upsert.ts'
import type { ViewContext } from './generic-viewset.ts'
import type { ImportData } from './import/import-reply.ts'
import type { ImportRequest } from './import/import-request.ts'
import type { Mixin } from './mixin.ts'
import type { PermissionClass } from './permissions.ts'
import type { Download, Page, Reply } from './reply.ts'
import type { BaseConfig, View } from './view.ts'

type UnionToIntersection<U> = (U extends unknown ? (x: U) => void : never) extends (x: infer I) => void ? I : never

type OrderingTerm<Name extends string> = Name | `-${Name}`

/**
 * Settings and methods of each mixin, by its name. Third parties add theirs:
 * `declare module 'viewset' { interface MixinTypes<M, S> { TouchModelMixin: { config: ...; methods: ... } } }`.
 */
export interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
  ListModelMixin: {
    config: {
      /**
       * What a list passes through, one after the other. Default: FieldFilter and SearchFilter where they have
       * settings, and ComputedOrderingFilter.
       */
      readonly filterBackends?: readonly FilterSource[]
      /**
       * Fields that a request may filter by: a list, for equality, or the lookups of each, as in
       * `{ rating: ['gte', 'lte'], country__code: ['exact', 'in'] }`.
       */
      readonly filterFields?: readonly FieldPath<M>[] | { readonly [P in FieldPath<M>]?: readonly Lookup[] }
      /** Fields of text that the parameter `search` looks into. */
      readonly searchFields?: readonly FieldPath<M>[]
      /** Default ordering: fields, paths and computed names, `-` for descending. */
      readonly ordering?: string | readonly string[]
      /** Fields that a request may order by. Default: the serializer's own readable columns. */
      readonly orderingFields?: readonly FieldPath<M>[]
      /** Values that a request may also order by, under the literal names that it uses for them. */
      readonly computedOrderingFields?: { readonly [name: string]: ComputedOrdering<FieldPath<M>> }
      /** Whether items carry their position as `index`. Default true. */
      readonly appendIndexes?: boolean
      /** How the list is cut into pages. Default StandardPageNumberPagination; `null` for not at all. */
      readonly paginationClass?: PaginationClass | null
      /** Whether a request may ask for the whole list of a resource that has pages. Default true, as the spec has it. */
      readonly allowUnpaginated?: boolean | PermissionClass
    }
    methods: { list(): Promise<Page<Data<S> & { readonly index?: number }>> }
  }
  CreateModelMixin: {
    config: {
      /** Whether a create answers with the new record. Default true; otherwise with `{}`. */
      readonly returnDataOnCreate?: boolean
    }
    methods: {
      create(): Promise<Partial<Data<S>>>
      performCreate(values: Input<S>): Promise<ModelRecord<M>>
    }
  }
  RetrieveModelMixin: { config: object; methods: { retrieve(): Promise<Data<S>> } }
  UpdateModelMixin: {
    config: {
      /** Whether an update answers with the record. Default true; otherwise with `{}`. */
      readonly returnDataOnUpdate?: boolean
    }
    methods: {
      update(): Promise<Partial<Data<S>>>
      performUpdate(record: ModelRecord<M>, values: Input<S>): Promise<ModelRecord<M>>
    }
  }
  DestroyModelMixin: {
    config: {
      /** 204, which carries no body (RFC 9110), or 200, which carries the envelope. Default 204. */
      readonly destroyStatus?: 200 | 204
    }
    methods: { destroy(): Promise<void>; performDestroy(record: ModelRecord<M>): Promise<void> }
  }
  BulkCreateModelMixin: {
    config: BulkConfig & {
      /** Whether a create answers with the new records. Default true; otherwise with `{}`, in bulk with their number. */
      readonly returnDataOnCreate?: boolean
    }
    methods: BulkMethods & {
      bulkCreate(): Promise<Page<Data<S>> | BulkCount>
      /** Stores new records by one statement, without signals. */
      performBulkCreate(values: Input<S>[]): Promise<RecordList<M>>
    }
  }
  BulkUpdateModelMixin: {
    config: BulkConfig & {
      /** Whether an update answers with the records. Default true; otherwise with `{}`, in bulk with their number. */
      readonly returnDataOnUpdate?: boolean
      /** Whether each record is saved by itself, which sends the signals. Default false: one statement for all. */
      readonly useSaveOnBulkUpdate?: boolean
    }
    methods: BulkMethods & {
      bulkUpdate(): Promise<Page<Data<S>> | BulkCount>
      /** Writes to records that are locked already. */
      performBulkUpdate(changes: readonly BulkChange<ModelRecord<M>, Input<S>>[]): Promise<RecordList<M>>
    }
  }
  FileExportMixin: {
    config: ExportSettings<M, S> & {
      /** Who may export, beside what `permissionClasses` asks. */
      readonly exportPermissionClasses?: readonly PermissionClass[]
      /** Whether a client may send rows of its own to have them made a file. Default true. */
      readonly allowExportData?: boolean
    }
    methods: { export(): Promise<Download> }
  }
  FileImportMixin: {
    config: {
      /** Who may import, beside what `permissionClasses` asks. */
      readonly importPermissionClasses?: readonly PermissionClass[]
      /** What the file holds and how it is written. The resource's own model is among its models. */
      readonly importFileConfig: ImportFileConfig
      /** Functions that change cells before they are read, by field or source field. */
      readonly importTransforms?: object
      /** What stands in the example rows of the template, by model and field, where another value than its type's says more. */
      readonly importExamples?: object
    }
    methods: {
      importFile(): Promise<Reply<ImportData>>
      /** Imports the file at `path`, which is removed afterwards. */
      performImport(path: string, request: ImportRequest): Promise<ImportResult>
      /** The service that this request's import runs on. */
      getImportService(): Promise<ImportService>
      importTemplate(): Promise<Download>
    }
  }
  BulkHardDeleteModelMixin: { config: BulkConfig; methods: BulkDeleteMethods<M> }
  BulkDeleteModelMixin: {
    config: BulkConfig
    methods: BulkDeleteMethods<M> & {
      bulkSoftDelete(): Promise<BulkDeleteReport>
      /** Marks records that are not deleted yet by one statement, without signals; returns how many were marked. */
      performBulkSoftDelete(records: RecordList<M>): Promise<number>
    }
  }
  BulkUpsertModelMixin: {
    config: BulkConfig & {
      /** Turns `POST /resource/bulk-upsert/` on. A record is told by `uniqueFields`, which a constraint keeps unique. */
      readonly bulkUpsert?: { readonly uniqueFields: readonly Field<M>[] }
    }
    methods: BulkMethods & {
      bulkUpsert(): Promise<BulkUpsertReport>
      performBulkUpsert(
        changes: readonly BulkChange<ModelRecord<M>, Input<S>>[],
        values: Input<S>[],
      ): Promise<BulkUpsertReport>
    }
  }
  BulkRestoreModelMixin: {
    config: BulkConfig & {
      /**
       * Turns `POST /resource/bulk-restore/` on. Where the resource shows active records only, `queryset` says which
       * ones can be restored: `{ queryset: () => undefined }`.
       */
      readonly bulkRestore?: boolean | { readonly queryset: (view: View<M, S>) => SQL | undefined }
    }
    methods: BulkMethods & {
      bulkRestore(): Promise<BulkDeleteReport>
      /** Takes the soft delete of records back by one statement, without signals; returns how many were restored. */
      performBulkRestore(records: RecordList<M>): Promise<number>
    }
  }
}

/** What all bulk actions have. */
interface BulkConfig {
  /** Most items of one bulk request. Default: the setting `BULK_OPERATION_BATCH_SIZE`. */
  readonly bulkBatchSize?: number
}

/** What all bulk actions ask. */
interface BulkMethods {
  /** Most items that this request may have. By default what `bulkBatchSize` says, else the setting. */
  getBulkBatchSize(): number
}

interface BulkDeleteMethods<M extends Model> extends BulkMethods {
  bulkDelete(): Promise<BulkDeleteReport>
  /** Removes records by one statement, without signals; returns how many were removed. */
  performBulkDelete(records: RecordList<M>): Promise<number>
}

type AnyMixinTypes = MixinTypes<Model, ModelSerializer>
export type MixinName = keyof AnyMixinTypes
/** The settings of one mixin. */
export type AnySetting<N extends MixinName> = Extract<keyof AnyMixinTypes[N]['config'], string>

type Settings<N extends MixinName> = { [X in N]: AnySetting<X> }[N]
type OwnerOf<K> = { [N in MixinName]: K extends AnySetting<N> ? N : never }[MixinName]
/** Settings of mixins that are not included, so that using one says which mixin it needs. */
type NotComposed<N extends MixinName> = {
  readonly [K in Exclude<
    Settings<MixinName>,
    Settings<N>
  >]?: `'${K}' needs ${OwnerOf<K>}, which this viewset does not include`
}

/** Narrows the default ordering to what there is: the model's paths and `C`, the names of the computed values. */
interface OrderingNames<M extends Model, C extends string> {
  readonly ordering?: OrderingTerm<FieldPath<M> | NoInfer<C>> | readonly OrderingTerm<FieldPath<M> | NoInfer<C>>[]
  readonly computedOrderingFields?: { readonly [K in C]: ComputedOrdering<FieldPath<M>> }
}

/** Narrows an import to what there is: `K` are the keys of its models, `F` imported fields and source fields. */
interface ImportNames<K extends string, F extends string> {
  readonly importFileConfig: ImportFileConfig<K, F>
  readonly importTransforms?: ImportTransforms<NoInfer<F>>
  readonly importExamples?: ImportExamples<NoInfer<K>, NoInfer<F>>
}

/** The configuration of a resource with the mixins `N`. */
export type Config<
  M extends Model,
  S extends ModelSerializer<M>,
  N extends MixinName,
  A = unknown,
  C extends string = never,
  K extends string = string,
  F extends string = string,
  O = unknown,
> = BaseConfig<M, S, A, O> &
  UnionToIntersection<MixinTypes<M, S>[N]['config']> &
  ('ListModelMixin' extends N ? OrderingNames<M, C> : unknown) &
  ('FileImportMixin' extends N ? ImportNames<K, F> : unknown) &
  NotComposed<N>

type Methods<M extends Model, S extends ModelSerializer<M>, N extends MixinName> = View<M, S> &
  UnionToIntersection<MixinTypes<M, S>[N]['methods']>

/** The class of a resource: extend it to override its methods, or use it as it is. */
export interface ResourceClass<M extends Model, S extends ModelSerializer<M>, N extends MixinName> {
  new (context: ViewContext): Methods<M, S, N>
  readonly mixins: readonly Mixin[]
}

/** Settings that mean the same for every model, so that a project can give them once. */
type SharedSetting =
  | 'appendIndexes'
  | 'paginationClass'
  | 'allowUnpaginated'
  | 'returnDataOnCreate'
  | 'returnDataOnUpdate'
  | 'destroyStatus'
  | 'bulkBatchSize'
  | 'useSaveOnBulkUpdate'
  | 'exportPermissionClasses'
  | 'importPermissionClasses'
  | 'exportFormats'
  | 'allowExportData'
  | 'csvBom'
  | 'pdfOptions'
type Defaults<N extends MixinName> = Pick<
  UnionToIntersection<AnyMixinTypes[N]['config']>,
  SharedSetting & keyof UnionToIntersection<AnyMixinTypes[N]['config']>
>

/** What `compose` returns: a function from configuration to a resource's class. */
export interface ViewSetFactory<N extends MixinName> {
  <
    M extends Model,
    S extends ModelSerializer<M>,
    A,
    const C extends string = never,
    K extends string = string,
    F extends string = string,
    O = unknown,
  >(
    config: Config<M, S, N, A, C, K, F, O>,
  ): ResourceClass<M, S, N>
  readonly mixins: readonly Mixin<N>[]
  /**
   * The same kind of ViewSet with other defaults; a resource's own settings come first.
   *
   * @example
   * export const ProjectViewSet = BaseViewSet.with({ paginationClass: SmallPages, destroyStatus: 200 })
   */
  with(defaults: Defaults<N>): ViewSetFactory<N>
}
