import { runInContext, type User } from '../core/context.ts'
import { PermissionDenied } from '../core/errors.ts'
import { resolveSettings } from '../core/settings.ts'
import type { GenericViewSet } from '../viewset/generic-viewset.ts'
import type { AnyResourceClass } from '../viewset/mixin.ts'
import { hideNothing } from '../viewset/reading/hidden-fields.ts'
import { asResourceClass, checkResource } from '../viewset/resource/as-resource-class.ts'
import { CliError } from './cli-error.ts'
import { type CommandInput, commandRequest } from './command-request.ts'
import type { ViewsetConfig } from './config.ts'
import type { ResourceLike } from './find-resource.ts'
import { openDatabase } from './open-database.ts'

export interface OperatorOptions {
  readonly name: string
  readonly action: string
  /** The id of the command's user. Default: no user. */
  readonly user: string | undefined
  readonly input: CommandInput
}

/**
 * Runs `fn` with a view of a resource, without a server. It asks no permission: the operator may do everything. The
 * queryset, fixed values and overridden methods apply as in a request.
 *
 * @throws CliError without a database; ConfigError
 */
export async function withOperatorView<T>(
  config: ViewsetConfig,
  resource: ResourceLike,
  { name, action, user: id, input }: OperatorOptions,
  fn: (view: GenericViewSet) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(config)
  try {
    const settings = resolveSettings(config.settings)
    const resourceClass = asResourceClass(name, resource)
    checkResource(name, resourceClass, database, settings)
    const request = commandRequest(input)
    return await runInContext({ user: null, settings, log: request }, () =>
      database.use(async () => {
        const user = id === undefined ? null : await userOf(config, id)
        const view = () => hideNothing(new (ofOperator(resourceClass))({ request, user, database, settings, action }))
        return runInContext({ user }, () => forUser(id, () => fn(view())))
      }),
    )
  } finally {
    await database.close()
  }
}

/** The command asks no permission, so only a resource that depends on its user refuses it: one with tenants. */
async function forUser<T>(id: string | undefined, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (id !== undefined || !(error instanceof PermissionDenied)) throw error
    throw new CliError('This resource needs a user, such as one of a tenant. Name it by --user <id>.', 1, error)
  }
}

/** @throws CliError for an id that no user has */
async function userOf({ user: find, api }: ViewsetConfig, id: string): Promise<User> {
  const findUser = find ?? api?.jobs?.findUser
  if (!findUser) return { id }
  const user = await findUser(id)
  if (!user) throw new CliError(`There is no user with the id "${id}".`, 2)
  return user
}

function ofOperator(resource: AnyResourceClass): AnyResourceClass {
  return class extends resource {
    override get hasObjectPermissions(): boolean {
      return false
    }
    override async checkPermissions(): Promise<void> {}
    override async checkObjectPermissions(): Promise<void> {}
    async checkImportPermissions(): Promise<void> {}
    async checkExportPermissions(): Promise<void> {}
  }
}
