import './core/check-node.ts'

export { folder } from './jobs/files/folder.ts'
export { JobFileMissing, type JobFiles, type StoredJobFile } from './jobs/files/job-files.ts'
export { s3 } from './jobs/files/s3.ts'
export type { S3Credentials, S3Options } from './jobs/files/s3-options.ts'
export { type EmbeddedQueueOptions, embeddedQueue } from './jobs/queues/embedded-queue.ts'
export type { JobHandler, JobQueue } from './jobs/queues/job-queue.ts'
export {
  type Boss,
  type BossJob,
  type BossPool,
  type PgBossQueueOptions,
  type PgBossSource,
  pgBossQueue,
} from './jobs/queues/pg-boss-queue.ts'
