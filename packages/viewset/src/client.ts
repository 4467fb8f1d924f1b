export type { ActionsOf, PathParameters, WhenFilled } from './client/action-types.ts'
export type {
  ClassTypes,
  IdOf,
  Returned,
  Sent,
  SettingOf,
  ShownBy,
  Simplify,
  TypesOf,
  Unless,
} from './client/class-types.ts'
export { ClientError, type ClientErrorParts } from './client/client-error.ts'
export type {
  Client,
  DeleteReport,
  ExportBody,
  ExportCallOptions,
  GeneralCalls,
  ImportOptions,
  PreviewOptions,
  ResourceClient,
  Resources,
} from './client/client-types.ts'
export { createClient } from './client/create-client.ts'
export type { Download } from './client/download.ts'
export type { Envelope } from './client/envelope.ts'
export type { FollowOptions, JobQuery, JobsClient } from './client/job-types.ts'
export type { CallOptions, ClientOptions, QueryOptions, RequestOptions } from './client/options.ts'
export type { QueryValue } from './client/query.ts'
export type { ExportQuery, ListQuery, PaginationOf } from './client/query-types.ts'
export type { Page } from './client/resource-client.ts'
export type { Answer } from './client/send.ts'
export type { OnProgress, Upload, UploadContent, UploadProgress } from './client/upload-form.ts'
