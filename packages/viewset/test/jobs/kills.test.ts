import { test } from 'vitest'
import { cases } from '../support/cases.ts'
import { describeDialects } from '../support/dialects.ts'
import { useKilledImports } from '../support/killed-imports.ts'

describeDialects('an import in the background', dialect => {
  const imports = useKilledImports(dialect)

  test('comes to what an undisturbed one comes to, wherever its processes are killed', () =>
    imports.checkKills(cases(125)))

  test('says what is stored, whenever it is cancelled', () => imports.checkCancels(cases(30)))
})
