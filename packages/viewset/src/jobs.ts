import './core/check-node.ts'

export { folder } from './jobs/files/folder.ts'
export { JobFileMissing, type JobFiles, type StoredJobFile } from './jobs/files/job-files.ts'
export { type EmbeddedQueueOptions, embeddedQueue } from './jobs/queues/embedded-queue.ts'
export type { JobHandler, JobQueue } from './jobs/queues/job-queue.ts'
