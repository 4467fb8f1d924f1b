import './core/check-node.ts'

export { type ApiConfig, defineConfig, type ViewsetConfig } from './cli/config.ts'
export { currentUser, type ErrorDetails, type ErrorLog, runAs, type User } from './core/context.ts'
export type { EnvelopeExtra, PageLinks } from './core/envelope.ts'
export {
  ApiError,
  type ApiErrorOptions,
  ConfigError,
  Conflict,
  type FieldErrors,
  type FieldTexts,
  MethodNotAllowed,
  NotAuthenticated,
  NotFound,
  PermissionDenied,
  PreconditionFailed,
  PreconditionRequired,
  ServiceUnavailable,
  ValidationError,
} from './core/errors.ts'
export { drfTexts } from './core/messages/drf-texts.ts'
export {
  type AppMessages,
  type Language,
  Message,
  type MessageName,
  message,
  type Text,
  type Texts,
} from './core/messages/message.ts'
export type { MessageTexts, WordingOptions } from './core/messages/wording.ts'
export type {
  EnvelopeError,
  EnvelopeFieldError,
  EnvelopeOptions,
  EnvelopePlace,
  EnvelopeReply,
  EnvelopeSchema,
  ErrorAnswer,
  ErrorHandler,
  ProjectEnvelope,
  RequestBody,
} from './core/project-envelope.ts'
export { type ApiRequest, linkTo, type NativeRequest, type NativeRequests, queryValue } from './core/request.ts'
export { required, type SettingRule, type SettingRules, setting, shared } from './core/setting-rules.ts'
export type {
  ApiSettings,
  ApiSettingsInput,
  CommonSettings,
  HistorySettings,
  IdempotencySettings,
  JobSettings,
} from './core/settings.ts'
export type { Json, Renamed, Wire, WireName } from './core/wire-names.ts'
export type { DescribingOptions } from './describe/described-api.ts'
export type { DocsOptions } from './describe/docs/reference-page.ts'
export type { OpenApiDocument, OpenApiInfo, OpenApiOptions } from './describe/openapi/options.ts'
export type {
  ActionSchema,
  ApiSchema,
  ExportSchema,
  FieldSchema,
  ImportSchema,
  ParameterSchema,
  ResourceSchema,
} from './describe/schema/api-schema.ts'
export type { SchemaOptions } from './describe/schema/endpoint.ts'
export type { CsvDelimiter, CsvForm } from './exporting/csv-form.ts'
export type { ExportFieldConfig, ListSeparators } from './exporting/export-columns.ts'
export type { ExportRow } from './exporting/export-request.ts'
export { type ExportFile, type ExportRows, ExportService, type ExportSettings } from './exporting/export-service.ts'
export type { ExportColumnSettings, ExportFormat, ExportOptions, FormatSettings } from './exporting/formats.ts'
export {
  type CreatedAnew,
  type FoundBy,
  type ImportDeleteWhen,
  type ImportField,
  type ImportFileConfig,
  type ImportForeignKey,
  type ImportHeaders,
  type ImportManyToMany,
  type ImportModel,
  type ImportPolicy,
  type ImportTransform,
  type ImportTransforms,
  importForeignKey,
  importManyToMany,
  importModel,
  type OnDuplicateRow,
  type OnExisting,
  type OnMissing,
  type TotalsRows,
} from './importing/config.ts'
export type { ChangeAction, ImportChange, ImportDiff } from './importing/diff.ts'
export type { OnConflict } from './importing/edit/on-conflict.ts'
export type { FailedRowsOptions, KeptRows, RowErrors, WrittenFile } from './importing/failed/failed-rows.ts'
export {
  type ComputedField,
  type ImportCell,
  type ImportCells,
  type ImportHooks,
  type ImportView,
  type MarkedDeletions,
  type PreparedRow,
  type PrepareRow,
  type RecordChange,
  type RowContext,
  skipRow,
} from './importing/import-hooks.ts'
export { ImportService } from './importing/import-service.ts'
export type {
  EditExportOptions,
  ImportCheckpoint,
  ImportMapping,
  ImportOptions,
  ImportProgress,
  ImportRecorder,
  ImportServiceOptions,
  ImportValues,
  MappedField,
  OnRowErrors,
  PreviewOptions,
  ReadingOptions,
} from './importing/options.ts'
export type {
  HeaderReason,
  ImportPreview,
  PreviewField,
  PreviewHeader,
  PreviewRow,
  PreviewSheet,
} from './importing/preview/import-preview.ts'
export type { HeaderRows } from './importing/read/header-rows.ts'
export type { ImportSource } from './importing/read/import-source.ts'
export type {
  ImportProblemGroup,
  ImportResult,
  ImportRowError,
  ImportRowProblem,
  ImportWarning,
  UnmatchedText,
} from './importing/result.ts'
export type { SavedMapping } from './importing/saved/saved-mapping.ts'
export type { ImportTally } from './importing/tally.ts'
export type { ImportExamples } from './importing/template/examples.ts'
export type { Job } from './jobs/job-store.ts'
export type { Jobs } from './jobs/jobs.ts'
export type { JsonSchema, JsonSchemas } from './kinds/json-schema.ts'
export type { Kind, KindName, OwnType, PlainCheck, ReadContext, Trait, ValueInfo, ValueLine } from './kinds/kind.ts'
export type { Report } from './kinds/report-schema.ts'
export type { ColumnPath, PathStep } from './model/column-path.ts'
export { defineKind } from './model/define-kind.ts'
export type { Dialect, ExpressionValue, FoldedColumn } from './model/dialect/dialect.ts'
export type { DroppedColumn, HistoryOptions } from './model/history.ts'
export type {
  Collation,
  ColumnKit,
  FieldName,
  FieldPath,
  ForeignKeyName,
  ForeignKeyOptions,
  KindOptions,
  KitColumn,
  KitInteger,
  KitTable,
  Model,
  ModelRow,
  NamedConstraintOptions,
  OwnKind,
  PrimaryKeyOf,
  ReferenceAction,
  Referred,
  SoftDeletable,
  TableConstraint,
  TableExtra,
  TextOptions,
  UniqueOptions,
} from './model/kit.ts'
export type {
  BaseModelColumns,
  MixinColumns,
  SlugColumns,
  SlugOptions,
  SoftDeleteColumns,
  TimeStampColumns,
  UserActionColumns,
  VersionColumns,
} from './model/mixins.ts'
export type { ColumnInfo, ModelInfo, PartialUnique, Reference, TableInfo, Unique } from './model/model-info.ts'
export type { ConstraintColumn, NamedConstraint } from './model/named-constraint.ts'
export {
  type DeleteEvent,
  type PostSaveEvent,
  type PostWriteOptions,
  type PreSaveEvent,
  postDelete,
  postSave,
  postWrite,
  preDelete,
  preSave,
  type WriteEvent,
} from './model/signals.ts'
export type {
  HistoryAction,
  HistoryTable,
  HistoryTables,
  HistoryValues,
} from './model/tables/history-tables.ts'
export type { IdempotencyTables } from './model/tables/idempotency-tables.ts'
export type { ImportMappingTables } from './model/tables/import-mapping-tables.ts'
export type {
  JobFile,
  JobOptions,
  JobProgress,
  JobRequest,
  JobResult,
  StoredRowError,
  StoredUser,
} from './model/tables/job-columns.ts'
export type { JobTables } from './model/tables/job-tables.ts'
export type { KeyName, WireBody, WireKey, WireKeyObject, WireRow } from './model/wire-row.ts'
export {
  type ComputedOrdering,
  ComputedOrderingFilter,
  type OrderingSettings,
} from './query/computed-ordering-filter.ts'
export { boundedCount, type CountStrategy, exactCount, noCount } from './query/count-strategies.ts'
export { CursorPagination } from './query/cursor-pagination.ts'
export { FieldFilter, type FilterSettings, type SerializerPath } from './query/field-filter.ts'
export type {
  AllFilterSettings,
  FilterBackend,
  FilterBackendClass,
  FilterContext,
  FilterSource,
  FilterTypes,
  FilterView,
} from './query/filter-backend.ts'
export type { Lookup } from './query/lookups.ts'
export type { ListedRow, ListSlice, PageList } from './query/page-list.ts'
export {
  type PageParts,
  type PageShape,
  Pagination,
  type PaginationClass,
  type PaginationSource,
} from './query/pagination.ts'
export type { QueryParameter, QueryParameters } from './query/query-parameters.ts'
export { SearchFilter, type SearchSettings } from './query/search-filter.ts'
export {
  LimitOffsetPaginationWithFormat,
  StandardPageNumberPagination,
  WindowPagination,
} from './query/window-pagination.ts'
export { createRecord, findRecords, insertMany } from './records/create-and-find.ts'
export { type ListMode, NestedDraft, type NestedItem, NestedList, RelatedSet } from './records/drafts.ts'
export type { GetJsonOptions, ModelRecord, RecordMethods, SoftDeleteMethods } from './records/record.ts'
export { RecordList } from './records/record-list.ts'
export type { CheckScope } from './records/write-records.ts'
export {
  BaseModelSerializer,
  type BodyFor,
  type SerializerConfig,
  type SortableOf,
} from './serializer/base-model-serializer.ts'
export { ExpressionField, type ExpressionOptions, type ExpressionTypes } from './serializer/expression-field.ts'
export type {
  DeclaredColumn,
  DeclaredExpression,
  DeclaredField,
  DeclaredInput,
  DeclaredManyField,
  ManyReadSide,
  ManyWriteSide,
  OwnKey,
  ReadSide,
  Shown,
  ShownKey,
  Taken,
  TextRules,
  UserTest,
  WriteSide,
} from './serializer/fields.ts'
export type { GivenValues } from './serializer/fixed-values.ts'
export { ColumnField, InputField } from './serializer/input-field.ts'
export type { ItemOwner, SubmittedItem, ValidatedItem } from './serializer/item.ts'
export type {
  Complaints,
  ModelSerializer,
  SerializerBody,
  SerializerData,
  SerializerInput,
  SerializerOutput,
  SerializerTypes,
  ValidateContext,
} from './serializer/model-serializer.ts'
export {
  ManyDataToDataField,
  ManyDataToIdField,
  ManyFlexibleField,
  ManyIdOnlyField,
  ManyIdToDataField,
  type ManyOptions,
  ManyStrOnlyField,
  ManyStrToDataField,
  type NestedOptions,
  type StrOptions,
} from './serializer/relations/many-relation-fields.ts'
export {
  CustomOutputField,
  DataToDataField,
  DataToIdField,
  DataToStrField,
  FlexibleField,
  IdOnlyField,
  IdToDataField,
  IdToStrField,
  type InputOptions,
  ReadOnlyDataField,
  ReadOnlyIdField,
  type ReadOnlyOptions,
  ReadOnlyStrField,
  StrOnlyField,
  StrToDataField,
  type ToOneOptions,
} from './serializer/relations/relation-fields.ts'
export { type RelatedModel, type ScopeContext, type ScopedModel, scoped } from './serializer/relations/scoped.ts'
export type { ValidateOptions } from './serializer/validate.ts'
export { allRecords } from './store/checked-condition.ts'
export { Database } from './store/connection/database.ts'
export type { Driver, Statement } from './store/connection/driver.ts'
export {
  currentDb,
  type DrizzleDatabase,
  type Isolation,
  onCommit,
  type TransactionOptions,
  transaction,
} from './store/connection/transaction.ts'
export type { BegunTransaction, JoinOptions } from './store/connection/with-transaction.ts'
export type { ListPosition } from './store/keyset.ts'
export type { Scope } from './store/projection.ts'
export { QuerySet } from './store/queryset.ts'
export type { RowWindow } from './store/select.ts'
export type { Ordering } from './store/select-rows.ts'
export { userValue } from './store/user-value.ts'
export type { Guard, Values } from './store/write/write.ts'
export type { PdfOptions } from './tabular/pdf/write.ts'
export type { ImportFormat } from './tabular/read/file.ts'
export type { ReadLimits } from './tabular/read/limits.ts'
export type { TabularWarning } from './tabular/writer.ts'
export type { ActionSpec, ActionSpecs, WrittenActions } from './viewset/actions.ts'
export { EventStream, type ServerSentEvent, type ServerSentEvents } from './viewset/answer/event-stream.ts'
export { Bare, Download, JsonText, ListPage, Reply, type ReplyOptions } from './viewset/answer/reply.ts'
export type { ApiResponse } from './viewset/answer/respond.ts'
export { compose } from './viewset/built-in.ts'
export type { BulkChange } from './viewset/bulk/change.ts'
export type { BulkDeleteReport } from './viewset/bulk/delete-report.ts'
export type { BulkCount } from './viewset/bulk/items.ts'
export type { BulkUpsertReport } from './viewset/bulk/upsert.ts'
export type { NameSettings, RecordNames } from './viewset/description/record-names.ts'
export type {
  PagesDescription,
  ResourceDescription,
  RouteDescription,
  RouteToDescribe,
} from './viewset/description/route-description.ts'
export type { UnknownParameters } from './viewset/endpoints/known-parameters.ts'
export type { ImportData, PreviewData } from './viewset/files/import-reply.ts'
export type { ImportRequest, PreviewRequest } from './viewset/files/import-request.ts'
export type { FilePart } from './viewset/files/read-parts.ts'
export type { GenericViewSet } from './viewset/generic-viewset.ts'
export { withChangeReason, withoutHistory } from './viewset/history/change.ts'
export { eraseHistory } from './viewset/history/erase-history.ts'
export type { HistoryDifference, HistoryEntryData } from './viewset/history/read-history.ts'
export type { HttpMethod } from './viewset/http-method.ts'
export type { IdempotencyOptions } from './viewset/idempotency/key-store.ts'
export type { JobData } from './viewset/jobs/job-data.ts'
export type { JobsOptions } from './viewset/jobs/job-viewset.ts'
export type { ImportMappingOptions } from './viewset/mappings/mapping-store.ts'
export {
  type AroundRequest,
  type DescribedResource,
  type DescribedRoute,
  defineMixin,
  type Mixin,
  type MixinConfig,
  type MixinModule,
  type MixinRoute,
  type MixinView,
  type OwnMixin,
  type RecordHeaders,
  type RoutePermissions,
  type ViewClass,
} from './viewset/mixin.ts'
export type { AnySetting, MethodsOf, MixinName, MixinTypes, SettingsOf, UsedBy } from './viewset/mixin-types.ts'
export { BulkCreateModelMixin } from './viewset/mixins/bulk-create-model-mixin.ts'
export { BulkDeleteModelMixin, BulkHardDeleteModelMixin } from './viewset/mixins/bulk-delete-model-mixin.ts'
export { BulkModelMixin } from './viewset/mixins/bulk-model-mixin.ts'
export { BulkRestoreModelMixin } from './viewset/mixins/bulk-restore-model-mixin.ts'
export { BulkUpdateModelMixin } from './viewset/mixins/bulk-update-model-mixin.ts'
export { BulkUpsertModelMixin } from './viewset/mixins/bulk-upsert-model-mixin.ts'
export { CreateModelMixin } from './viewset/mixins/create-model-mixin.ts'
export { DestroyModelMixin } from './viewset/mixins/destroy-model-mixin.ts'
export { FileExportMixin } from './viewset/mixins/file-export-mixin.ts'
export { FileImportMixin } from './viewset/mixins/file-import-mixin.ts'
export { FilterModelMixin } from './viewset/mixins/filter-model-mixin.ts'
export { HistoryModelMixin } from './viewset/mixins/history-model-mixin.ts'
export { ListModelMixin } from './viewset/mixins/list-model-mixin.ts'
export { RestoreModelMixin } from './viewset/mixins/restore-model-mixin.ts'
export { RetrieveModelMixin } from './viewset/mixins/retrieve-model-mixin.ts'
export { UpdateModelMixin } from './viewset/mixins/update-model-mixin.ts'
export type { ParentOptions, ResourceParent } from './viewset/parent/parent-setting.ts'
export {
  type ActionName,
  AllowAny,
  allOf,
  anyOf,
  IsAdminUser,
  IsAuthenticated,
  IsAuthenticatedOrReadOnly,
  noneOf,
  type Permission,
  type PermissionClass,
  type PermissionView,
  ReadOnly,
} from './viewset/permissions.ts'
export type { ResourceChoice } from './viewset/reading/choice-setting.ts'
export type { ResourceConfig, ResourceDefinition, ResourceIsolation } from './viewset/resource/resource.ts'
export type { Attached, Partition } from './viewset/room.ts'
export type {
  GuardOf,
  MixinAround,
  MixinGuard,
  MixinHeaders,
  MixinScope,
  ResourceVersion,
  WantedChange,
} from './viewset/seams.ts'
export type { ResourceTenant, TenantConfig, TenantOptions, TenantView } from './viewset/tenant/tenant-setting.ts'
export type { ResourceClass, ResourceTypes, ViewSetConfig, ViewSetFactory, Written } from './viewset/types.ts'
export type { BaseConfig, ResourceView, ViewContext, WritePlan } from './viewset/view.ts'
export {
  BaseViewSet,
  BulkCreateViewSet,
  BulkDeleteViewSet,
  BulkImportableViewSet,
  BulkOnlyViewSet,
  BulkUpdateViewSet,
  BulkViewSet,
  CreateListViewSet,
  ImportableViewSet,
  ReadOnlyViewSet,
} from './viewset/viewsets.ts'
export type { WriteKind } from './viewset/write/watchers.ts'
