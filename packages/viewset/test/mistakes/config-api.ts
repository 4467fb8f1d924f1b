import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  BulkImportableViewSet,
  type ConstraintColumn,
  compose,
  defineMixin,
  IdToDataField,
  ManyIdToDataField,
  ReadOnlyViewSet,
  type TableExtra,
} from 'viewset'
import { bearerJwt } from 'viewset/auth'
import { createHandler } from 'viewset/node'
import { postgres } from 'viewset/pg'
import { kit, sqlite } from 'viewset/sqlite'
import { createTestDatabase } from 'viewset/testing'

/*
 * A small atlas whose configuration the mistakes are made in. The functions take anything, as in a program without
 * types.
 */

export const countries = kit.table('countries', {
  id: kit.integer().primaryKey(),
  code: kit.text(2).notNull().unique(),
  name: kit.text(30).notNull(),
})
const cities = kit.table('cities', {
  id: kit.integer().primaryKey(),
  name: kit.text(30).notNull(),
  country: kit.foreignKey(countries, { onDelete: 'restrict' }).notNull(),
  population: kit.integer(),
  isCapital: kit.boolean().notNull().default(false),
  info: kit.json(),
})
export const labels = kit.table('labels', { id: kit.integer().primaryKey(), text: kit.text(20).notNull() })

/** Columns of a table, as a program without types writes them. */
type Columns = Readonly<Record<'name' | 'nmae' | 'cuntry', ConstraintColumn>>
export const towns = (constraints: (t: Columns) => readonly TableExtra[]) =>
  kit.table(
    'towns',
    { id: kit.integer().primaryKey(), name: kit.text(30), country: kit.foreignKey(countries) },
    constraints as unknown as () => readonly TableExtra[],
  )

export const CountrySerializer = BaseModelSerializer(countries, { fields: ['id', 'code', 'name'] })
export const LabelSerializer = BaseModelSerializer(labels, { fields: ['id', 'text'] })
export const CitySerializer = BaseModelSerializer(cities, { fields: ['id', 'name', 'country', 'population'] })
export const common = { model: cities, serializer: CitySerializer, permissionClasses: [AllowAny] }

/** A function of the package as a program without types calls it. */
type Untyped = (...args: readonly unknown[]) => unknown
const untyped = (fn: unknown) => fn as Untyped

/** A mistake: its name, the configuration, and the message of the ConfigError. */
export type ConfigMistake = readonly [name: string, configure: () => unknown, said: string]

/** A resource of cities with these settings. */
export const resource = (config: object) => () => untyped(BaseViewSet)({ ...common, ...config })
export const readOnly = (config: object) => () => untyped(ReadOnlyViewSet)({ ...common, ...config })
export const composed = (mixins: readonly unknown[], config: object = {}) => {
  return () => untyped(untyped(compose)(...mixins))({ ...common, ...config })
}
export const mixin = (name: unknown, options: object) => () => untyped(defineMixin)(name, options)
export const action = (config: object) => {
  return resource({ actions: { grow: { method: 'POST', detail: true, handler: () => null, ...config } } })
}
export const serializer = (config: unknown, model: unknown = cities) => {
  return () => untyped(BaseModelSerializer)(model, config)
}
export const country = (options: unknown) => () =>
  serializer({ fields: ['id'], extra: { country: untyped(IdToDataField)(options) } })()
export const many = (options: unknown) => () =>
  serializer({ fields: ['id'], extra: { labels: untyped(ManyIdToDataField)(options) } })()
export const openSqlite =
  (...args: readonly unknown[]) =>
  () =>
    untyped(sqlite)(...args)
export const openPostgres =
  (...args: readonly unknown[]) =>
  () =>
    untyped(postgres)(...args)
export const jwt = (options: unknown) => () => untyped(bearerJwt)(options)

const importedCities = { model: cities, fields: ['name', 'country'], uniqueFields: ['name'] }
const importing = { fileFormat: 'csv', order: ['cities'], models: { cities: importedCities } }

/** An import of cities with these settings. */
export const imports = (config: unknown) => () =>
  untyped(BulkImportableViewSet)({ ...common, importFileConfig: config })
export const importFile = (config: object) => imports({ ...importing, ...config })
export const importCities = (config: object) => {
  return importFile({ models: { cities: { ...importedCities, ...config } } })
}

/** The start of an API with these options. */
export const api = (options: object) => async () => {
  const { database, drop } = await createTestDatabase()
  try {
    const handler = untyped(createHandler)({ database, resources: {}, ...options }) as ReturnType<typeof createHandler>
    await handler.ready()
    await handler.close()
  } finally {
    await drop()
  }
}
export const resources = (all: unknown) => api({ resources: all })
export const settings = (values: unknown) => api({ settings: values })

/** The start of an API with a variable of the environment. */
export const environment = (name: string, value: string) => async () => {
  process.env[name] = value
  try {
    await api({})()
  } finally {
    delete process.env[name]
  }
}
