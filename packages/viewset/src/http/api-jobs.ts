import { ConfigError } from '../core/errors.ts'
import type { Wordings } from '../core/messages/wording.ts'
import { checkOptions, required, rule, type SettingRule, setting } from '../core/setting-rules.ts'
import type { ApiSettings } from '../core/settings.ts'
import { folder } from '../jobs/files/folder.ts'
import { JobStore } from '../jobs/job-store.ts'
import { Jobs } from '../jobs/jobs.ts'
import { embeddedQueue } from '../jobs/queues/embedded-queue.ts'
import type { Database } from '../store/connection/database.ts'
import { REASON_HEADER } from '../viewset/history/change.ts'
import { exportJob } from '../viewset/jobs/export-job.ts'
import { importJob } from '../viewset/jobs/import-job.ts'
import { type JobsOptions, jobResource } from '../viewset/jobs/job-viewset.ts'
import { checkAccessAgain, checkNewJob, type JobSurroundings, workOfJobs } from '../viewset/jobs/work-of-jobs.ts'
import type { AnyResourceClass } from '../viewset/mixin.ts'
import { asResourceClass } from '../viewset/resource/as-resource-class.ts'
import { undoJob } from '../viewset/undo/undo-job.ts'
import type { ApiOptions } from './api-options.ts'

const TABLES = 'give { jobs, jobErrors } as JobTables() of the kit makes them'

const RULES: Readonly<Record<keyof JobsOptions, SettingRule>> = {
  tables: required(setting.object, TABLES),
  files: rule(setting.object.accepts, "must be made with folder or s3, as in folder('data/jobs')"),
  queue: setting.object,
  work: setting.boolean,
  findUser: setting.function,
  headers: setting.list,
  permissionClasses: setting.permissions,
  adminPermissionClasses: setting.permissions,
}

/** Without a database, jobs can only be described. */
type JobsSurroundings = Pick<ApiOptions, 'jobs' | 'resources'> & { readonly database: Database | undefined }

const SECRETS = ['authorization', 'cookie', 'proxy-authorization']

export function apiJobs(
  { jobs: options, database: given, resources }: JobsSurroundings,
  settings: ApiSettings,
  wordings: Wordings,
): { readonly jobs: Jobs; readonly resource: AnyResourceClass } | undefined {
  if (options === undefined) {
    checkForeground(resources)
    return undefined
  }
  checkJobsOptions(options)
  // A described API runs no queries.
  const database = given as Database
  const { tables, files = folder('data/jobs'), queue = embeddedQueue(), findUser, headers = [] } = options
  // A described API stores no files.
  if (given !== undefined) files.check?.()
  const classes = Object.entries(resources).map(([name, value]) => [name, asResourceClass(name, value)] as const)
  const surroundings: JobSurroundings = {
    resources: new Map(classes),
    actions: { import: importJob, export: exportJob, undo: undoJob },
    database,
    settings,
    findUser,
    jobs: () => jobs,
  }
  const jobs: Jobs = new Jobs({
    store: new JobStore(database, tables),
    files,
    queue,
    settings,
    keptHeaders: [...headers, REASON_HEADER].map(name => name.toLowerCase()),
    keepsUsers: findUser === undefined,
    work: workOfJobs(surroundings),
    wordings,
  })
  const undo = { jobs, resources: surroundings.resources, checkNewJob: checkNewJob(surroundings) }
  return { jobs, resource: jobResource(jobs, options, { checkAccessAgain: checkAccessAgain(surroundings), undo }) }
}

/** @throws ConfigError if another resource has the name of the jobs' resource. */
export function withJobs(
  resources: ApiOptions['resources'],
  jobs: AnyResourceClass | undefined,
): Readonly<Record<string, unknown>> {
  if (!jobs) return resources
  if (Object.hasOwn(resources, 'jobs')) {
    throw new ConfigError('resources.jobs', 'name', 'is that of the option jobs; take another name')
  }
  return { ...resources, jobs }
}

/** @throws ConfigError for a resource that would refuse all large files. */
function checkForeground(resources: ApiOptions['resources']): void {
  for (const [name, value] of Object.entries(resources)) {
    const { config } = asResourceClass(name, value).definition
    if (Object.hasOwn(config, 'importBackgroundFrom')) {
      throw new ConfigError(`resources.${name}`, 'importBackgroundFrom', 'needs the option jobs of the API')
    }
  }
}

function checkJobsOptions(options: JobsOptions): void {
  checkOptions('api.jobs', RULES, options)
  const { tables, headers = [] } = options
  const secret = headers.find(name => SECRETS.includes(name.toLowerCase()))
  if (secret !== undefined) {
    const remedy = 'keep what jobs need of it in the user that authenticate returns'
    throw new ConfigError('api.jobs', 'headers', `"${secret}" is a secret, and would lie in the database; ${remedy}`)
  }
  if (!tables.jobs || !tables.jobErrors) throw new ConfigError('api.jobs', 'tables', `is required; ${TABLES}`)
}
