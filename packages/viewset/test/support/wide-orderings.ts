import type { Database } from 'viewset'

const COLUMNS = Array.from({ length: 20 }, (_, i) => `c${i}`)

/** Makes a table `wide` of many columns. */
export async function createWideTable(database: Database): Promise<void> {
  await database.run({ text: `create table wide (${COLUMNS.map(name => `${name} text`).join(', ')}, c20 integer)` }, [])
}

/** Asks for it by 800 long statements, each with another ordering. */
export async function askForOrderings(database: Database): Promise<void> {
  for (let n = 0; n < 800; n++) {
    const order = Array.from({ length: 18 }, (_, i) => `${(n >> i) & 1 ? 'lower' : 'upper'}(c${i}) desc nulls last`)
    const text = `select ${COLUMNS.join(', ')} from wide where c0 = $1 or c1 in ($2, $3) order by ${order}, ${n} + c20`
    await database.run(
      database.statement(text, () => text),
      ['a', 'b', 'c'],
    )
  }
}
