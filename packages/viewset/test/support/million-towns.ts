import { AllowAny, BaseModelSerializer, type ColumnKit, compose, FileImportMixin, importModel } from 'viewset'

/** What an API is made of that imports a very long file in the background, the same in all of its processes. */
export function millionTowns(kit: ColumnKit) {
  const towns = kit.table('towns', {
    ...kit.BaseModelMixin(),
    name: kit.text(30).notNull().unique(),
    people: kit.integer(),
  })
  const { jobs, jobErrors } = kit.JobTables()
  const resource = compose(FileImportMixin)({
    model: towns,
    serializer: BaseModelSerializer(towns, { fields: ['id', 'people'] }),
    permissionClasses: [AllowAny],
    importFileConfig: {
      fileFormat: 'csv',
      chunkSize: 2_000,
      order: ['towns'],
      models: { towns: importModel({ model: towns, fields: ['name', 'people'], uniqueFields: ['name'] }) },
    },
  })
  return { tables: { towns, jobs, jobErrors }, resources: { towns: resource }, jobTables: { jobs, jobErrors } }
}
