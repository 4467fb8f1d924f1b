import { type ColumnKit, type Database, insertMany } from 'viewset'

/** Tables of goods in houses. House and code are the primary key of the stock. */
export function stockTables(kit: ColumnKit) {
  const houses = kit.table('houses', { id: kit.integer().primaryKey(), name: kit.text(20).notNull() })
  const stock = kit.table(
    'stock',
    {
      house: kit.foreignKey(houses).notNull(),
      code: kit.text(20).notNull(),
      amount: kit.integer().notNull().default(0),
      mark: kit.text(20).unique(),
      ...kit.VersionMixin(),
    },
    t => [kit.primaryKey(t.house, t.code)],
  )
  return { houses, stock }
}

/** Stores two houses with two goods each. The code of one has the characters that paths escape. */
export function seedStock(database: Database, { houses, stock }: ReturnType<typeof stockTables>): Promise<void> {
  return database.transaction(async () => {
    await insertMany(houses, [
      { id: 1, name: 'one' },
      { id: 2, name: 'two' },
    ])
    await insertMany(stock, [
      { house: 1, code: 'a', amount: 1 },
      { house: 1, code: 'b', amount: 2 },
      { house: 2, code: 'a', amount: 3, mark: 'kept' },
      { house: 2, code: 'x,y~z', amount: 4, mark: 'secret' },
    ])
  })
}
