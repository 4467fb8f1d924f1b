import { test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { checkHostileFiles, dayModels, dayResources } from '../support/hostile-files.ts'

describeDialects('very many uploads that may be anything', dialect => {
  const tables = dayModels(dialect.kit)
  const api = useApi(dialect, { tables, resources: dayResources(tables) })

  test('are imported or refused, cost little and leave nothing behind', () => checkHostileFiles(api, 2_000))
})
