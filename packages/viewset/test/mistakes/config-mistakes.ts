import { uniqueIndex } from 'drizzle-orm/sqlite-core'
import {
  AllowAny,
  BaseViewSet,
  ColumnField,
  CreateModelMixin,
  IdToDataField,
  IsAuthenticated,
  ListModelMixin,
  ReadOnlyViewSet,
} from 'viewset'
import { folder } from 'viewset/jobs'
import { kit as pgKit } from 'viewset/pg'
import { kit } from 'viewset/sqlite'
import * as z from 'zod'
import * as at from './config-api.ts'
import { type ConfigMistake, countries, labels } from './config-api.ts'

/*
 * Mistakes that a developer makes in a configuration, many of them in plain JavaScript, and the ConfigError that stops
 * the start. Read both as the developer.
 */

const CountryViewSet = ReadOnlyViewSet({
  model: countries,
  serializer: at.CountrySerializer,
  permissionClasses: [AllowAny],
})
const elsewhere = pgKit.table('cities', { id: pgKit.integer().primaryKey(), name: pgKit.text(20).notNull() })
const jobTables = kit.JobTables()
const drizzleIndex = (column: object) => {
  const index = uniqueIndex('towns_name')
  return Reflect.apply(index.on, index, [column])
}

// biome-ignore format: a table
const RESOURCES: readonly ConfigMistake[] = [
  ['a misspelt setting', at.resource({ orderingField: ['name'] }),
    'resource of "cities": orderingField: unknown setting; did you mean "orderingFields"?'],
  ['a setting of DRF', at.resource({ serializer_class: at.CitySerializer }),
    'resource of "cities": serializer_class: unknown setting; did you mean "serializer"?'],
  ['a setting like no other', at.resource({ cache: true }),
    'resource of "cities": cache: unknown setting; known: "model", "serializer", "serializers", ' +
    '"permissionClasses", "queryset", "fixedValues", "checkScope", "lookupField", "singleton", "unknownParameters", ' +
    '"idempotency", "isolation", "actions", "verboseName", "verboseNamePlural", "describes", "version", ' +
    '"requireIfMatch", "appendEtags", "cacheControl", "tenant", "softDelete", "deletedPermissionClasses", "parent", ' +
    '"sparseFields", "expandableFields", "returnDataOnCreate", "filterBackends", "filterFields", "searchFields", ' +
    '"ordering", "orderingFields", "computedOrderingFields", "orderingNulls", "appendIndexes", "paginationClass", ' +
    '"allowUnpaginated", "returnDataOnUpdate", "destroyStatus", "exportFieldConfig", "exportPermissionClasses", ' +
    '"exportFormats", "allowExportData", "csvBom", "csvDelimiter", "csvLocale", "pdfOptions"'],
  ['no settings', () => Reflect.apply(BaseViewSet, undefined, []),
    'resource: settings: must be an object with model, serializer and permissionClasses, not undefined'],
  ['no model', at.resource({ model: undefined }),
    'resource: model: is required; give a table'],
  ['the name of a model', at.resource({ model: 'cities' }),
    'resource: model: must be a table, not the text "cities"'],
  ['an object for a model', at.resource({ model: { id: 1 } }),
    'model: an object: is not a PostgreSQL or SQLite table; make it with a column kit, pgTable or sqliteTable'],
  ['no serializer, because of a circular import', at.resource({ serializer: undefined }),
    'resource of "cities": serializer: is undefined; make it with BaseModelSerializer(model, ...); if two files ' +
    'import each other, move what both need into a third one'],
  ['a class for a serializer', at.resource({ serializer: class CitySerializer {} }),
    `resource of "cities": serializer: is not a serializer of the resource's model; make it with ` +
    'BaseModelSerializer(model, ...)'],
  ['the serializer of another model', at.resource({ serializer: at.CountrySerializer }),
    `resource of "cities": serializer: is a serializer of "countries", not of the resource's model; make it with ` +
    'BaseModelSerializer(model, ...)'],
  ['the fields in place of a serializer', at.resource({ serializer: ['id', 'name'] }),
    `resource of "cities": serializer: is not a serializer of the resource's model; make it with ` +
    'BaseModelSerializer(model, ...)'],
  ['no permissions', at.resource({ permissionClasses: undefined }),
    'resource of "cities": permissionClasses: is required; say [AllowAny] if everyone may use the resource'],
  ['an empty list of permissions', at.resource({ permissionClasses: [] }),
    'resource of "cities": permissionClasses: is required; say [AllowAny] if everyone may use the resource'],
  ['a permission without a list', at.resource({ permissionClasses: IsAuthenticated }),
    'resource of "cities": permissionClasses: must be a list: put the permission in brackets, as in ' +
    '[IsAuthenticated]'],
  ['the name of a permission', at.resource({ permissionClasses: ['IsAuthenticated'] }),
    'resource of "cities": permissionClasses: must be a list of permissions: objects or classes with ' +
    'hasPermission, or functions of the view; item 1 is the text "IsAuthenticated"'],
  ['a permission that is undefined', at.resource({ permissionClasses: [IsAuthenticated, undefined] }),
    'resource of "cities": permissionClasses: must be a list of permissions: objects or classes with ' +
    'hasPermission, or functions of the view; item 2 is undefined'],
  ['a permission class without hasPermission', at.resource({ permissionClasses: [class IsOwner {}] }),
    'resource of "cities": permissionClasses: must be a list of permissions: objects or classes with ' +
    'hasPermission, or functions of the view; item 1 is the class IsOwner without hasPermission'],
  ['a condition in place of a function', at.resource({ queryset: { isCapital: true } }),
    'resource of "cities": queryset: must be a function that returns a condition'],
  ['a text for a list of fields', at.resource({ orderingFields: 'name' }),
    'resource of "cities": orderingFields: must be a list: ["name"]'],
  ['a misspelt field to order by', at.resource({ orderingFields: ['nmae'] }),
    'resource of "cities": orderingFields: unknown field "nmae"; did you mean "name"?'],
  ['a field to order by in snake_case', at.resource({ orderingFields: ['is_capital'] }),
    'resource of "cities": orderingFields: unknown field "is_capital"; did you mean "isCapital"?'],
  ['an ordering with desc', at.resource({ ordering: 'name desc' }),
    'resource of "cities": ordering: unknown field "name desc"; known: "id", "name", "country", "population", ' +
    '"isCapital", "info"'],
  ['a misspelt filter', at.resource({ filterFields: ['nmae'] }),
    'resource of "cities": filterFields: unknown field "nmae"; did you mean "name"?'],
  ['a misspelt lookup', at.resource({ filterFields: { name: ['icontain'] } }),
    'resource of "cities": filterFields: unknown lookup "icontain" of "name"; did you mean "icontains"?'],
  ['a lookup that the type does not have', at.resource({ filterFields: { population: ['icontains'] } }),
    'resource of "cities": filterFields: "population" is of type integer, which has no lookup "icontains"'],
  ['a misspelt negated lookup', at.resource({ filterFields: { name: ['nott_in'] } }),
    'resource of "cities": filterFields: unknown lookup "nott_in" of "name"; did you mean "not_in"?'],
  ['an action with the name of a standard one', at.resource({ actions: { list: { method: 'GET', detail: false, handler: () => null } } }),
    'resource of "cities": actions.list: is an action of ListModelMixin; give this one another name, or change the ' +
    'standard action by overriding list() in a class that extends the viewset'],
  ['an action with the name of an export', at.readOnly({ actions: { export: { method: 'GET', detail: false, handler: () => null } } }),
    'resource of "cities": actions.export: is an action of FileExportMixin; give this one another name, or change the ' +
    'standard action by overriding export() in a class that extends the viewset'],
  ['a lookup without a list', at.resource({ filterFields: { name: 'exact' } }),
    'resource of "cities": filterFields.name: must be a list: ["exact"]'],
  ['a filter with a point in its path', at.resource({ filterFields: ['country.name'] }),
    'resource of "cities": filterFields: unknown field "country.name"; did you mean "country"?'],
  ['a filter through a field that is no relation', at.resource({ filterFields: ['name__code'] }),
    'resource of "cities": filterFields: "name" is no foreign key, so "name__code" leads nowhere'],
  ['a search in a number', at.resource({ searchFields: ['population'] }),
    'resource of "cities": searchFields: "population" is of type integer; only text can be searched'],
  ['a pagination that is no class', at.resource({ paginationClass: { pageSize: 10 } }),
    'resource of "cities": paginationClass: must be a class that extends Pagination, such as CursorPagination, an ' +
    'object of one, or null for no pages'],
  ['false for no pagination', at.resource({ paginationClass: false }),
    'resource of "cities": paginationClass: must be a class that extends Pagination, such as CursorPagination, an ' +
    'object of one, or null for no pages'],
  ['the name of a pagination', at.resource({ paginationClass: 'CursorPagination' }),
    'resource of "cities": paginationClass: must be a class that extends Pagination, such as CursorPagination, an ' +
    'object of one, or null for no pages'],
  ['a text for a boolean', at.resource({ returnDataOnCreate: 'no' }),
    'resource of "cities": returnDataOnCreate: must be true or false, not "no"'],
  ['a soft delete without its columns', at.resource({ softDelete: true }),
    'resource of "cities": softDelete: "cities" has no isActive and no deletedAt; give it both columns, as ' +
    '...c.SoftDeleteMixin() does, or set softDelete: false'],
  ['a column in place of a soft delete', at.resource({ softDelete: 'deletedAt' }),
    'resource of "cities": softDelete: must be true or false, not "deletedAt"'],
  ['another status of a destroy', at.resource({ destroyStatus: 202 }),
    'resource of "cities": destroyStatus: must be 200 or 204, not 202'],
  ['a setting that a read-only resource does not have', at.readOnly({ destroyStatus: 200 }),
    'resource of "cities": destroyStatus: needs DestroyModelMixin, which this viewset does not include'],
  ['fixed values that are no function', at.resource({ fixedValues: { country: 1 } }),
    'resource of "cities": fixedValues: must be a function that returns values: view => ({ ... })'],
]

// biome-ignore format: a table
const SERIALIZERS: readonly ConfigMistake[] = [
  ['no options of a serializer', at.serializer(undefined),
    'BaseModelSerializer(cities): fields: is required; name the fields of the model to show'],
  ['no fields', at.serializer({}),
    'BaseModelSerializer(cities): fields: is required; name the fields of the model to show'],
  ['all fields as in DRF', at.serializer({ fields: '__all__' }),
    'BaseModelSerializer(cities): fields: must be a list; name the fields of the model to show'],
  ['an empty list of fields', at.serializer({ fields: [] }),
    'BaseModelSerializer(cities): fields: shows nothing; name at least one field that is not write-only'],
  ['a misspelt field', at.serializer({ fields: ['nmae'] }),
    'BaseModelSerializer(cities): fields: unknown field "nmae"; did you mean "name"?'],
  ['a field in snake_case', at.serializer({ fields: ['is_capital'] }),
    'BaseModelSerializer(cities): fields: unknown field "is_capital"; did you mean "isCapital"?'],
  ['a misspelt setting of a serializer', at.serializer({ fields: ['name'], readonly: ['name'] }),
    'BaseModelSerializer(cities): readonly: unknown setting; did you mean "readOnly"?'],
  ['a read-only field that is not shown', at.serializer({ fields: ['name'], readOnly: ['population'] }),
    'BaseModelSerializer(cities): readOnly: "population" is not among the fields; known: "name"'],
  ['a rule that is no Zod schema', at.serializer({ fields: ['name'], refine: { name: { max: 5 } } }),
    'BaseModelSerializer(cities): refine: "name" must be a Zod schema'],
  ['a rule for a read-only field', at.serializer({ fields: ['id', 'name'], refine: { id: z.int() } }),
    'BaseModelSerializer(cities): refine: "id" is read-only: clients send no value to refine'],
  ['a rule for writers of a read-only field', at.serializer({ fields: ['id', 'name'], writableBy: { id: () => true } }),
    'BaseModelSerializer(cities): writableBy: "id" is read-only: no user writes it'],
  ['a rule for writers of a computed field', at.serializer({ fields: ['name'], extra: { label: () => 'x' }, writableBy: { label: () => true } }),
    'BaseModelSerializer(cities): writableBy: "label" is read-only: no user writes it'],
  ['a rule for readers of a write-only field', at.serializer({ fields: ['id', 'name'], writeOnly: ['name'], readableBy: { name: () => true } }),
    'BaseModelSerializer(cities): readableBy: "name" is write-only: no user reads it'],
  ['a computed field that is a value', at.serializer({ fields: ['name'], extra: { label: 'x' } }),
    'BaseModelSerializer(cities): extra: "label" is no relation field, ExpressionField, InputField, ColumnField or function of a record'],
  ['validate that is no function', at.serializer({ fields: ['name'], validate: { name: 'x' } }),
    'BaseModelSerializer(cities): validate: must be a function of the values'],
  ['a serializer of no table', at.serializer({ fields: ['name'] }, null),
    'model: null: is not a PostgreSQL or SQLite table; make it with a column kit, pgTable or sqliteTable'],
  ['a relation without options', at.country(undefined),
    'BaseModelSerializer(cities): country: queryset must be a model, or scoped(model, where)'],
  ['a relation to another table', at.country({ queryset: labels, serializer: at.CountrySerializer }),
    'BaseModelSerializer(cities): country: the serializer shows "countries", the queryset is of "labels"'],
  ['a relation without its serializer', at.country({ queryset: countries, serializer: undefined }),
    'BaseModelSerializer(cities): country: serializer is required; make it with BaseModelSerializer(model, ...) ' +
    'before this one. Serializers cannot nest each other in a circle: give the inner one a serializer with fewer ' +
    'fields'],
  ['a relation with the serializer of another model', at.country({ queryset: countries, serializer: at.CitySerializer }),
    'BaseModelSerializer(cities): country: the serializer shows "cities", the queryset is of "countries"'],
  ['a relation of a column that does not exist', at.serializer({ fields: ['id'], extra: { contry: IdToDataField({ queryset: countries, serializer: at.CountrySerializer }) } }),
    'BaseModelSerializer(cities): extra: unknown field "contry"; did you mean "country"?'],
  ['a misspelt option of a relation', at.country({ queryset: countries, serializer: at.CountrySerializer, readonly: true }),
    'BaseModelSerializer(cities): country: IdToDataField has no option "readonly"; did you mean "readOnly"?'],
  ['a list of records without the table between', at.many({ queryset: labels, serializer: at.LabelSerializer }),
    'BaseModelSerializer(cities): labels: "labels" has no foreign key to "cities"; name the table between the two ' +
    'by through'],
  ['a table between that does not link the two', at.many({ queryset: labels, through: countries, serializer: at.LabelSerializer }),
    'BaseModelSerializer(cities): labels: "countries" has no foreign key to "cities"'],
]

// biome-ignore format: a table
const MODELS: readonly ConfigMistake[] = [
  ['a table without a column that orders its rows', () => at.serializer({ fields: ['info'] }, kit.table('towns', { info: kit.json() }))(),
    'towns: model: needs a primary key, or a column that orders its rows'],
  ['a field with the name of a method', () => at.serializer({ fields: ['id'] }, kit.table('towns', { id: kit.integer().primaryKey(), save: kit.text() }))(),
    'towns: save: is the name of a method of every record; name the field otherwise'],
  ['a constraint over a misspelt column', () => at.serializer({ fields: ['id'] }, at.towns(t => [kit.unique(t.nmae)]))(),
    'towns: constraints: unknown field "nmae"; did you mean "name"?'],
  ['an index over a misspelt column, beside a known one', () => at.serializer({ fields: ['id'] }, at.towns(t => [kit.index([t.name, t.cuntry])]))(),
    'towns: constraints: unknown field "cuntry"; did you mean "country"?'],
  ["an index of Drizzle's over a misspelt column", () => at.serializer({ fields: ['id'] }, at.towns(t => [drizzleIndex(t.nmae)]))(),
    'towns: constraints: unknown field "nmae"; did you mean "name"?'],
  ['a constraint over no column', () => at.serializer({ fields: ['id'] }, at.towns(() => [Reflect.apply(kit.unique, kit, [])]))(),
    'towns: constraints: need a column each'],
  ['a column whose function was not called', () => Reflect.apply(kit.table, kit, ['towns', { id: kit.integer().primaryKey(), name: kit.text }]),
    'towns: name: must be a column, not a function; call the function: c.text(...)'],
  ['the type of a column by its name', () => Reflect.apply(kit.table, kit, ['towns', { id: kit.integer().primaryKey(), name: 'text' }]),
    'towns: name: must be a column, not the text "text"; make it with the column kit'],
  ['a column that is undefined', () => Reflect.apply(kit.table, kit, ['towns', { id: kit.integer().primaryKey(), name: undefined }]),
    'towns: name: must be a column, not undefined; make it with the column kit'],
  ['a renamed field without the name of its column', () => Reflect.apply(ColumnField, undefined, [{ column: 'name' }]),
    "ColumnField: column: must be the name of a column, as in ColumnField('title'), not an object"],
  ['a history of no table', () => Reflect.apply(kit.HistoryTable, kit, [undefined]),
    'HistoryTable: model: must be a table, not undefined; if two files import each other, move what both need into a ' +
    'third one'],
  ['a foreign key to undefined, because of a circular import', () => Reflect.apply(kit.foreignKey, kit, [undefined]),
    "kit: foreignKey: must be a table or 'self', not undefined; if two files import each other, move what both " +
    "need into a third one, or write 'self' for the table itself"],
  ['a foreign key to the name of a table', () => Reflect.apply(kit.foreignKey, kit, ['countries']),
    `kit: foreignKey: must be a table or 'self', not the text "countries"`],
  ['a decimal with more digits than SQLite keeps', () => kit.decimal(20, 2),
    'sqlite: decimal(20, 2): SQLite keeps at most 15 digits exactly; lower the precision or use PostgreSQL'],
  ['a model of PostgreSQL on SQLite', () => at.resources({ cities: at.resource({ model: elsewhere, serializer: at.serializer({ fields: ['id', 'name'] }, elsewhere)() })() })(),
    'resources.cities: model: "cities" is a table for PostgreSQL, the database is SQLite'],
]

// biome-ignore format: a table
const ACTIONS: readonly ConfigMistake[] = [
  ['an action without a handler', at.action({ handler: undefined }),
    'resource of "cities": actions.grow: handler must be a function'],
  ['a method in lower case', at.action({ method: 'post' }),
    'resource of "cities": actions.grow: method must be one of GET, POST, PUT, PATCH, DELETE'],
  ['a method and its path in one', at.action({ method: 'POST /grow' }),
    'resource of "cities": actions.grow: method must be one of GET, POST, PUT, PATCH, DELETE'],
  ['an action without detail', at.action({ detail: undefined }),
    'resource of "cities": actions.grow: detail must be true for an action on one record, false for one on the ' +
    'list'],
  ['a misspelt key of an action', at.action({ handlers: () => null }),
    'resource of "cities": actions.grow: unknown setting "handlers"; did you mean "handler"?'],
  ['a path with slashes', at.action({ path: '/grow/' }),
    'resource of "cities": actions.grow: path "/grow/" must be a part of a path, without a slash at either end'],
  ['an action that is a function', at.resource({ actions: { grow: () => null } }),
    `resource of "cities": actions.grow: must be an object, not a function: { publish: { method: 'POST', detail: ` +
    'true, handler: view => ... } }'],
  ['a list of actions', at.resource({ actions: [{ method: 'POST' }] }),
    `resource of "cities": actions: must be an object of actions by name: { publish: { method: 'POST', detail: ` +
    'true, handler: view => ... } }'],
  ['the input of an action that is no schema', at.action({ input: { by: 'number' } }),
    'resource of "cities": actions.grow: input must be a Zod schema'],
  ['the input of a GET', at.action({ method: 'GET', input: z.object({}) }),
    'resource of "cities": actions.grow: input is the body, which a GET request has none of; read view.query ' +
    'instead'],
  ['a mixin that is undefined', at.composed([ListModelMixin, undefined]),
    'compose: mixins: takes mixins only, such as ListModelMixin, or what defineMixin returns; argument 2 is ' +
    'undefined; if two files import each other, move what both need into a third one'],
  ['a class in place of a mixin', at.composed([class ListMixin {}]),
    'compose: mixins: takes mixins only, such as ListModelMixin, or what defineMixin returns; argument 1 is a ' +
    'function'],
  ['a list of mixins', at.composed([[ListModelMixin, CreateModelMixin]]),
    'compose: mixins: takes mixins only, such as ListModelMixin, or what defineMixin returns; argument 1 is a ' +
    'list'],
  ['a mixin without a name', at.mixin(undefined, { methods: (Base: object) => Base }),
    "defineMixin: name: must be a text, such as 'TouchMixin', not undefined"],
  ['a route to a method that the mixin lacks', at.mixin('GrowMixin', { routes: [{ method: 'POST', path: '/:id/grow/', action: 'grow' }], methods: (Base: new () => object) => class extends Base {} }),
    'mixin GrowMixin: routes: "grow" is not among its methods'],
  ['a hook that is misspelt', () => at.resources({ cities: class extends BaseViewSet({ ...at.common }) { preformCreate() {} } })(),
    'resources.cities: preformCreate: is not a method that Viewset calls; did you mean "performCreate"?'],
  ['a hook in snake_case', () => at.resources({ cities: class extends BaseViewSet({ ...at.common }) { perform_create() {} } })(),
    'resources.cities: perform_create: is not a method that Viewset calls; did you mean "performCreate"?'],
  ['a setting as a field of the class', () => at.resources({ cities: class extends BaseViewSet({ ...at.common }) { ordering = 'name' } })(),
    'resources.cities: ordering: does not count in the body of a class; give ordering to the function that makes ' +
    'its base class: BaseViewSet({ ordering: ... })'],
]

// biome-ignore format: a table
const FILES: readonly ConfigMistake[] = [
  ['no configuration of an import', at.imports(undefined),
    'resource of "cities": importFileConfig: is required; describe the file and its models'],
  ['a misspelt key of an import', at.importFile({ fileFormats: ['csv'] }),
    'resource of "cities": importFileConfig: fileFormats: unknown setting; did you mean "fileFormat"?'],
  ['an unknown file format', at.importFile({ fileFormat: 'pdf' }),
    'resource of "cities": importFileConfig: fileFormat: unknown format "pdf"; known: "csv", "xls", "xlsx"'],
  ['no file format', at.importFile({ fileFormat: undefined }),
    'resource of "cities": importFileConfig: fileFormat: is required; known: csv, xls, xlsx'],
  ['no order', at.importFile({ order: undefined }),
    'resource of "cities": importFileConfig: order: is required; give a list of names'],
  ['an order with an unknown model', at.importFile({ order: ['city'] }),
    'resource of "cities": importFileConfig: order: "city" is not among the models; known: "cities"'],
  ['no models', at.importFile({ models: undefined }),
    'resource of "cities": importFileConfig: models: is required; describe at least one model'],
  ['an import without the model of the resource', at.importFile({ order: ['countries'], models: { countries: { model: countries, fields: ['code', 'name'], uniqueFields: ['code'] } } }),
    `resource of "cities": importFileConfig: models: has no entry for "cities", which is the resource's`],
  ['an import of an unknown field', at.importCities({ fields: ['name', 'country', 'mayor'] }),
    'resource of "cities": importFileConfig: models.cities.fields: "mayor" is not among the fields of "cities"; ' +
    'known: "id", "name", "country", "population", "isCapital", "info"'],
  ['an import without a required field', at.importCities({ fields: ['name'] }),
    'resource of "cities": importFileConfig: models.cities.fields: misses "country", which is required and has no ' +
    'default'],
  ['an import without unique fields', at.importCities({ uniqueFields: undefined }),
    'resource of "cities": importFileConfig: models.cities.uniqueFields: is required; give a list of names'],
  ['a text for unique fields', at.importCities({ uniqueFields: 'name' }),
    'resource of "cities": importFileConfig: models.cities.uniqueFields: must be a list: ["name"]'],
  ['a lookup by an unknown field', at.importCities({ fields: ['name'], foreignKeys: { country: { model: countries, lookupField: 'iso', sourceField: 'country' } } }),
    'resource of "cities": importFileConfig: models.cities.foreignKeys.country.lookupField: unknown field "iso" ' +
    'of "countries"; known: "id", "code", "name"'],
  ['a lookup without its column', at.importCities({ fields: ['name'], foreignKeys: { country: { model: countries, lookupField: 'code' } } }),
    'resource of "cities": importFileConfig: models.cities.foreignKeys.country.sourceField: is required; name the ' +
    'column of the file that holds the lookup value'],
  ['a header for an unknown field', at.importFile({ headers: { Town: 'town' } }),
    'resource of "cities": importFileConfig: headers.Town: "town" is not imported; known: "name", "country"'],
  ['a policy that does not exist', at.importCities({ onExisting: 'replace' }),
    'resource of "cities": importFileConfig: models.cities.onExisting: unknown value "replace"; known: "update", ' +
    '"skip", "fail"'],
  ['an optional column that is no column', at.importCities({ optional: ['nmae'] }),
    'resource of "cities": importFileConfig: models.cities.optional: "nmae" is not among the columns of the file; did ' +
    'you mean "name"?'],
  ['an optional column that finds the records', at.importCities({ optional: ['name'] }),
    'resource of "cities": importFileConfig: models.cities.optional: "name" finds the records, so no file can lack it'],
  ['an optional column without a default', at.importCities({ optional: ['country'] }),
    'resource of "cities": importFileConfig: models.cities.optional: "country" has no default, so no file can lack it'],
  ['an unknown effect of duplicate rows', at.importCities({ onDuplicateRow: 'first' }),
    'resource of "cities": importFileConfig: models.cities.onDuplicateRow: unknown value "first"; known: "last", "fail"'],
  ['a sensitive column that finds the records', at.importCities({ sensitive: ['name'] }),
    'resource of "cities": importFileConfig: models.cities.sensitive: "name" finds the records, so the file of failed ' +
    'rows needs it'],
  ['a locale that is a country', at.importFile({ locale: 'Germany' }),
    'resource of "cities": importFileConfig: locale: nothing is known of "germany"; write a language tag, such as ' +
    '"de-DE"'],
  ['all or nothing in quotes', at.importFile({ allOrNothing: 'true' }),
    'resource of "cities": importFileConfig: allOrNothing: must be true or false'],
  ['an unknown action for rows of totals', at.importFile({ totalsRows: 'skpi' }),
    'resource of "cities": importFileConfig: totalsRows: unknown value "skpi"; did you mean "skip"?'],
  ['a chunk size in quotes', at.importFile({ chunkSize: '500' }),
    'resource of "cities": importFileConfig: chunkSize: must be a whole number above 0, not "500"'],
  ['an export of an unknown field', at.resource({ exportFieldConfig: { nmae: 'Name' } }),
    'resource of "cities": exportFieldConfig: unknown field "nmae"; did you mean "name"?'],
  ['a list of export columns', at.resource({ exportFieldConfig: ['name'] }),
    'resource of "cities": exportFieldConfig: must give headers by field, as in { title: "Title" }'],
  ['an export through an unknown relation', at.resource({ exportFieldConfig: { country__nmae: 'Country' } }),
    'resource of "cities": exportFieldConfig: unknown field "nmae" of "countries" in "country__nmae"; did you ' +
    'mean "name"?'],
]

// biome-ignore format: a table
const START: readonly ConfigMistake[] = [
  ['a misspelt option of the API', at.api({ databse: 1 }),
    'api: databse: unknown option; did you mean "database"?'],
  ['no database', at.api({ database: undefined }),
    'api: database: is required; make it with postgres(url) or sqlite(path)'],
  ['the path of a database', at.api({ database: 'atlas.db' }),
    "api: database: is a text; open the database: sqlite('shop.db')"],
  ['the promise of a database', at.api({ database: Promise.resolve() }),
    'api: database: is a promise; write await before it'],
  ['no resources', at.api({ resources: undefined }),
    'api: resources: is required; give the viewsets by name, as in { countries: CountryViewSet }'],
  ['a list of resources', at.resources([CountryViewSet]),
    'api: resources: must be an object; give the viewsets by name, as in { countries: CountryViewSet }'],
  ['a resource that is undefined, because of a circular import', at.resources({ countries: undefined }),
    'resources.countries: class: is undefined; if two files import each other, move what both need into a third ' +
    'one'],
  ['an instance in place of a class', at.resources({ countries: {} }),
    'resources.countries: class: is not a viewset; make it with BaseViewSet({...}), ReadOnlyViewSet({...}) or ' +
    'compose(...)({...})'],
  ['a factory that was not called', at.resources({ countries: ReadOnlyViewSet }),
    'resources.countries: class: is not a viewset; make it with BaseViewSet({...}), ReadOnlyViewSet({...}) or ' +
    'compose(...)({...})'],
  ['a configuration in place of a viewset', at.resources({ cities: at.common }),
    'resources.cities: class: is not a viewset; make it with BaseViewSet({...}), ReadOnlyViewSet({...}) or ' +
    'compose(...)({...})'],
  ['a serializer in place of a viewset', at.resources({ cities: at.CitySerializer }),
    'resources.cities: class: is not a viewset; make it with BaseViewSet({...}), ReadOnlyViewSet({...}) or ' +
    'compose(...)({...})'],
  ['slashes around the name of a resource', at.resources({ '/countries/': CountryViewSet }),
    'resources./countries/: name: must be a path such as "articles", without a slash at either end'],
  ['authenticate that is a text', at.api({ authenticate: 'jwt' }),
    'api: authenticate: must be a function of the request that returns a user or null'],
  ['a misspelt setting of COMMON', at.settings({ COMMON: { TIMEZONE: 'UTC' } }),
    'settings.COMMON: TIMEZONE: unknown setting; did you mean "TIME_ZONE"?'],
  ['a setting outside of its group', at.settings({ TIME_ZONE: 'UTC' }),
    'settings: TIME_ZONE: is in a group; write settings: { COMMON: { TIME_ZONE: ... } }'],
  ['a time zone by its abbreviation', at.settings({ COMMON: { TIME_ZONE: 'MESZ' } }),
    'settings.COMMON: TIME_ZONE: "MESZ" is not an IANA time zone such as "Europe/Berlin"'],
  ['a number in quotes', at.settings({ COMMON: { IMPORT_MAX_FILE_SIZE: '1000' } }),
    'settings.COMMON: IMPORT_MAX_FILE_SIZE: "1000" is not a whole number above 0; write 1000 without quotes'],
  ['a size with a unit', at.settings({ COMMON: { IMPORT_MAX_FILE_SIZE: '50MB' } }),
    'settings.COMMON: IMPORT_MAX_FILE_SIZE: "50MB" is not a whole number above 0'],
  ['a secret that is too short', at.settings({ COMMON: { SECRET_KEY: 'secret' } }),
    'settings.COMMON: SECRET_KEY: the value is not a text of at least 32 characters'],
  ['a wrong variable of the environment', at.environment('COMMON_BULK_OPERATION_BATCH_SIZE', 'many'),
    'settings.COMMON: environment variable COMMON_BULK_OPERATION_BATCH_SIZE: "many" is not a whole number above 0'],
  ['a misspelt variable of the environment', at.environment('COMMON_BULK_OPERATION_BATCHSIZE', '5'),
    'settings.COMMON: environment variable COMMON_BULK_OPERATION_BATCHSIZE: is unknown; did you mean ' +
    '"COMMON_BULK_OPERATION_BATCH_SIZE"?'],
  ['jobs without tables', at.api({ jobs: {} }),
    'api.jobs: tables: is required; give { jobs, jobErrors } as JobTables() of the kit makes them'],
  ['jobs: true', at.api({ jobs: true }),
    'api.jobs: options: must be an object, not true'],
  ['a text for the folder of jobs', at.api({ jobs: { tables: jobTables, files: 'data/jobs' } }),
    "api.jobs: files: must be made with folder or s3, as in folder('data/jobs')"],
  ['a folder without a path', () => Reflect.apply(folder, undefined, []),
    'folder: path: must be the path of a folder'],
  ['a resource named jobs', at.api({ jobs: { tables: jobTables }, resources: { jobs: CountryViewSet } }),
    'resources.jobs: name: is that of the option jobs; take another name'],
  ['an unknown unknownParameters', at.api({ unknownParameters: 'allow' }),
    `api: unknownParameters: must be 'refuse' or 'ignore', not "allow"`],
  ['a baseUrl without its scheme', at.api({ baseUrl: 'example.org' }),
    'api: baseUrl: must be an address such as "https://api.example.org"'],
  ['openapi with an unknown option', at.api({ openapi: { titel: 'Atlas' } }),
    'api.openapi: titel: unknown option; known: "permissionClasses", "info", "errors", "change"'],
]

// biome-ignore format: a table
const DATABASES: readonly ConfigMistake[] = [
  ['no path of an SQLite database', at.openSqlite(),
    'sqlite: database: must be the path of a file, a handle of "better-sqlite3", or a database of ' +
    '"drizzle-orm/better-sqlite3"'],
  ['an SQLite database in a folder that does not exist', at.openSqlite('/nowhere/atlas.db'),
    'sqlite: path: the folder "/nowhere" does not exist'],
  ['an address of PostgreSQL for SQLite', at.openSqlite('postgres://localhost/atlas'),
    'sqlite: path: "postgres:" is PostgreSQL; use postgres(...) of "viewset/pg"'],
  ['a misspelt option of SQLite', at.openSqlite('/tmp/atlas.db', { busyTimout: 5 }),
    'sqlite: busyTimout: unknown option; did you mean "busyTimeout"?'],
  ['a database in memory', at.openSqlite(':memory:'),
    'sqlite: path: give the path of a file; a database in memory has one connection only, so pass its handle: ' +
    'sqlite(new Database(":memory:"))'],
  ['no address, because the variable is not set', at.openPostgres(undefined),
    'postgres: url: is required, such as "postgres://user:password@localhost/shop"'],
  ['an address without a scheme', at.openPostgres('localhost:5432/atlas'),
    'postgres: url: must begin with "postgres://"; write "postgres://localhost:5432/atlas"'],
  ['an address of MySQL', at.openPostgres('mysql://localhost/atlas'),
    'postgres: url: must begin with "postgres://"; write "postgres://user:password@localhost:5432/shop"'],
  ['a path for PostgreSQL', at.openPostgres('atlas.db'),
    'postgres: url: must begin with "postgres://"; write "postgres://user:password@localhost:5432/shop"'],
  ['a port that is a word', at.openPostgres('postgres://localhost:port/atlas'),
    'postgres: url: is not a valid address; write it like "postgres://user:password@localhost:5432/shop"'],
  ['a misspelt option of PostgreSQL', at.openPostgres('postgres://localhost/atlas', { poolsize: 5 }),
    'postgres: poolsize: unknown option; did you mean "poolSize"?'],
  ['a pool size of 0', at.openPostgres('postgres://localhost/atlas', { poolSize: 0 }),
    'postgres: poolSize: must be a whole number from 1 to 10000, not 0'],
  ['tokens without a key', at.jwt({}),
    'bearerJwt: secret: give either secret or jwks'],
  ['a secret of tokens that is too short', at.jwt({ secret: 'secret' }),
    'bearerJwt: secret: has 6 bytes; HS256 needs at least 32'],
  ['a misspelt option of tokens', at.jwt({ secrets: 'a secret of the tests that is long enough' }),
    'bearerJwt: secrets: unknown option; did you mean "secret"?'],
]

export const configMistakes = [...RESOURCES, ...SERIALIZERS, ...MODELS, ...ACTIONS, ...FILES, ...START, ...DATABASES]
