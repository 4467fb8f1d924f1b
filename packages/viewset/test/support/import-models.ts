import { randomUUID } from 'node:crypto'
import { type ColumnKit, importForeignKey, importModel } from 'viewset'

/** A small atlas: a model for each way in which a row of a file can find its record. */
export function geography(c: ColumnKit) {
  /** Found by its code; the name is unique, too. */
  const countries = c.table('countries', {
    ...c.BaseModelMixin(),
    name: c.text(30).notNull().unique(),
    iso2: c.text(2).notNull().unique(),
  })

  /** Found by two columns. */
  const regions = c.table(
    'regions',
    {
      id: c.uuid().primaryKey().$defaultFn(randomUUID),
      country: c.foreignKey(countries, { onDelete: 'cascade' }).notNull(),
      name: c.text(30).notNull(),
    },
    t => [c.unique(t.country, t.name)],
  )

  /** Several may have one name. */
  const people = c.table('people', { id: c.uuid().primaryKey().$defaultFn(randomUUID), name: c.text(30).notNull() })

  /** Found by columns that no index keeps unique and of which one may be null; the plate is unique, too. */
  const cities = c.table('cities', {
    ...c.BaseModelMixin(),
    country: c.foreignKey(countries, { onDelete: 'restrict' }).notNull(),
    district: c.text(30),
    name: c.text(30).notNull(),
    mayor: c.foreignKey(people),
    plate: c.text(5).unique(),
    population: c.integer(),
    area: c.decimal(8, 2),
    kind: c.enumeration(['town', 'village']).notNull().default('town'),
  })

  /** What cities are linked to, any number of them. */
  const labels = c.table('labels', { id: c.uuid().primaryKey().$defaultFn(randomUUID), text: c.text(10).notNull() })
  const cityLabels = c.table('city_labels', {
    id: c.uuid().primaryKey().$defaultFn(randomUUID),
    city: c.foreignKey(cities, { onDelete: 'cascade' }).notNull(),
    label: c.foreignKey(labels, { onDelete: 'restrict' }).notNull(),
  })

  /** Each column type once, found by a code that ignores case. */
  const samples = c.table(
    'samples',
    {
      id: c.uuid().primaryKey().$defaultFn(randomUUID),
      code: c.text(20).notNull(),
      text: c.text(),
      number: c.integer(),
      big: c.bigint(),
      price: c.decimal(15, 3),
      flag: c.boolean(),
      day: c.date(),
      moment: c.timestamp(),
      reference: c.uuid(),
      data: c.json(),
      kind: c.enumeration(['a', 'B c']),
    },
    t => [c.uniqueIgnoringCase(t.code)],
  )

  /** A tree. */
  const places = c.table('places', {
    id: c.uuid().primaryKey().$defaultFn(randomUUID),
    name: c.text(30).notNull().unique(),
    parent: c.foreignKey('self'),
  })

  return { countries, regions, people, cities, labels, cityLabels, samples, places }
}

export type Geography = ReturnType<typeof geography>

/** The same atlas with regions that have no key of their own: country and name are their primary key. */
export function geographyOfCompositeKeys(c: ColumnKit) {
  const { countries, ...others } = geography(c)
  const regions = c.table(
    'regions',
    { country: c.foreignKey(countries, { onDelete: 'cascade' }).notNull(), name: c.text(30).notNull() },
    t => [c.primaryKey(t.country, t.name)],
  )
  return { ...others, countries, regions }
}

/** An atlas whose regions have either key. */
export type AnyGeography = Geography | ReturnType<typeof geographyOfCompositeKeys>

/** Countries, regions and cities in one file: each row has all three. */
export function atlasModels({ countries, regions, people, cities }: AnyGeography) {
  const country = importForeignKey({ model: countries, lookupField: 'iso2', sourceField: 'iso2' })
  return {
    countries: importModel({ model: countries, fields: ['iso2', 'name'], uniqueFields: ['iso2'] }),
    regions: importModel({
      model: regions,
      fields: ['name'],
      uniqueFields: ['country', 'name'],
      foreignKeys: { country },
    }),
    cities: importModel({
      model: cities,
      fields: ['district', 'name', 'plate', 'population', 'area', 'kind'],
      uniqueFields: ['country', 'district', 'name'],
      foreignKeys: { country, mayor: importForeignKey({ model: people, lookupField: 'name', sourceField: 'mayor' }) },
    }),
  }
}
