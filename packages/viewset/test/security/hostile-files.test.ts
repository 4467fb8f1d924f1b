import { test } from 'vitest'
import { useApi } from '../support/api.ts'
import { cases } from '../support/cases.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { checkHostileFiles, dayModels, dayResources } from '../support/hostile-files.ts'

describeOneDialect('an upload that may be anything', dialect => {
  const tables = dayModels(dialect.kit)
  const api = useApi(dialect, { tables, resources: dayResources(tables) })

  test('is imported or refused, costs little and leaves nothing behind', () => checkHostileFiles(api, cases(120)))
})
