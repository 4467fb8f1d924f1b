export type {
  ActionsOf,
  ClassTypes,
  IdOf,
  KeyOf,
  PathParameters,
  Returned,
  Sent,
  SettingOf,
  ShownBy,
  Simplify,
  TypesOf,
  Unless,
  WhenFilled,
} from './client/class-types.ts'
export { ClientError, type ClientErrorParts, type Envelope } from './client/client-error.ts'
export type {
  Client,
  DeleteReport,
  ExportBody,
  ExportCallOptions,
  GeneralCalls,
  HistoryQuery,
  ImportOptions,
  MappingQuery,
  PreviewOptions,
  ResourceClient,
  Resources,
  SavedMappingBody,
} from './client/client-types.ts'
export { createClient } from './client/create-client.ts'
export { etagOf } from './client/etags.ts'
export type { FollowOptions, JobQuery, JobsClient, UndoOptions } from './client/job-calls.ts'
export type { CallOptions, ClientOptions, QueryOptions, QueryValue, RequestOptions } from './client/options.ts'
export type { Choice, Chooses, Chosen, ExportQuery, ListQuery, PaginationOf } from './client/query-types.ts'
export type { Page } from './client/resource-client.ts'
export type { Answer, Download } from './client/send.ts'
export type { OnProgress, Upload, UploadContent, UploadProgress } from './client/upload.ts'
