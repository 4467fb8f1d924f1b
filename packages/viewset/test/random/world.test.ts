import { test } from 'vitest'
import { useApi } from '../support/api.ts'
import { cases } from '../support/cases.ts'
import { describeDialects } from '../support/dialects.ts'
import { checkSequences, worldModels, worldResources } from '../support/world/check.ts'

describeDialects('any sequence of requests', dialect => {
  const tables = worldModels(dialect.kit)
  const api = useApi(dialect, { tables, resources: worldResources(tables) })

  test('is answered and stored as a model in memory says', () => checkSequences(api, cases(100)))
})
