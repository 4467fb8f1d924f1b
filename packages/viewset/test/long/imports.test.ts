import { test } from 'vitest'
import { describeDialects } from '../support/dialects.ts'
import { geography } from '../support/import-models.ts'
import { checkRandomImports, rulesOfDatabase } from '../support/import-property.ts'
import { useDatabase } from '../support/imports.ts'

describeDialects('an import of very many random files', dialect => {
  const tables = geography(dialect.kit)
  const db = useDatabase(dialect, tables, rulesOfDatabase(dialect.name))

  test('stores and reports what an import of one row after the other does', () => checkRandomImports(db, tables, 2_000))
})
