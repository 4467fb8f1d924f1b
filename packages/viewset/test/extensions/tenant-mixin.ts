import { type Column, eq } from 'drizzle-orm'
import {
  defineMixin,
  type FieldName,
  type Model,
  type ModelSerializer,
  NotAuthenticated,
  required,
  setting,
  type User,
} from 'viewset'

declare module 'viewset' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    TenantMixin: { config: { readonly tenantField: FieldName<M> }; methods: object }
  }
}

/** Keeps each user among the records of one tenant, whatever the resource does. */
export const TenantMixin = defineMixin('TenantMixin', {
  settings: { tenantField: required(setting.text, 'name the field that holds the tenant') },
  scope: ({ model, config, user }) => eq(Reflect.get(model, config.tenantField) as Column, tenantOf(user)),
  fixedValues: ({ config, user }) => ({ [config.tenantField]: tenantOf(user) }),
})

function tenantOf(user: User | null): string {
  if (!user) throw new NotAuthenticated()
  return String(user.id)
}
