import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  type ColumnKit,
  HistoryModelMixin,
  importForeignKey,
  importManyToMany,
  importModel,
  ManyIdToDataField,
} from 'viewset'

/** Countries with their towns. Imports of both have a history. */
export function undoModels(c: ColumnKit) {
  const countries = c.table('countries', {
    id: c.integer().primaryKey(),
    iso: c.text(2).notNull().unique(),
    title: c.text(60).notNull(),
  })
  const towns = c.table('towns', {
    id: c.integer().primaryKey(),
    code: c.text(10).notNull().unique(),
    name: c.text(60).notNull(),
    people: c.integer(),
    country: c.foreignKey(countries, { onDelete: 'restrict' }).notNull(),
    ...c.VersionMixin(),
  })
  const labels = c.table('labels', { id: c.integer().primaryKey(), text: c.text(10).notNull().unique() })
  const townLabels = c.table('town_labels', {
    id: c.integer().primaryKey(),
    town: c.foreignKey(towns, { onDelete: 'cascade' }).notNull(),
    label: c.foreignKey(labels, { onDelete: 'cascade' }).notNull(),
  })
  /** It refers to towns, and no import writes it. */
  const visits = c.table('visits', {
    id: c.integer().primaryKey(),
    town: c.foreignKey(towns, { onDelete: 'cascade' }).notNull(),
  })
  const histories = { ...c.HistoryTable(countries), ...c.HistoryTable(towns) }
  return { countries, towns, labels, townLabels, visits, ...histories, ...c.JobTables() }
}

export type UndoTables = ReturnType<typeof undoModels>

/** A file of towns has their countries and their labels, and deletes a town with an x in `gone`. */
export function townConfig({ countries, towns, labels, townLabels }: UndoTables) {
  const label = BaseModelSerializer(labels, { name: 'Label', fields: ['id', 'text'] })
  return {
    model: towns,
    serializer: BaseModelSerializer(towns, {
      fields: ['id', 'code', 'name', 'people', 'country'],
      extra: { labels: ManyIdToDataField({ queryset: labels, serializer: label, through: townLabels }) },
    }),
    permissionClasses: [AllowAny],
    ordering: 'code',
    importFileConfig: {
      fileFormat: 'csv',
      order: ['countries', 'towns'],
      models: {
        countries: importModel({ model: countries, fields: ['iso', 'title'], uniqueFields: ['iso'] }),
        towns: importModel({
          model: towns,
          fields: ['code', 'name', 'people'],
          uniqueFields: ['code'],
          foreignKeys: {
            country: importForeignKey({ model: countries, lookupField: 'iso', sourceField: 'iso' }),
          },
          manyToMany: {
            labels: importManyToMany({
              model: labels,
              lookupField: 'text',
              sourceField: 'labels',
              through: townLabels,
            }),
          },
          deleteWhen: { sourceField: 'gone', equals: ['x'] },
        }),
      },
    },
  } as const
}

export const TownBase = BulkImportableViewSet.add(HistoryModelMixin)
