import { expect, test } from 'vitest'
import { describeDialects } from '../support/dialects.ts'
import { useKilledImports } from '../support/killed-imports.ts'

describeDialects('very many imports in the background', dialect => {
  const imports = useKilledImports(dialect)

  // Two kills a file, on both databases: 3,000.
  test('come to what undisturbed ones come to, wherever their processes are killed', { timeout: 3_600_000 }, () =>
    imports.checkKills(750),
  )

  test('say what is stored, whenever they are cancelled', () => imports.checkCancels(500))
})

describeDialects('imports in processes of their own', dialect => {
  const imports = useKilledImports(dialect, { real: true })

  test('come to what undisturbed ones come to, wherever the processes get SIGKILL', {
    timeout: 3_600_000,
  }, async () => {
    await imports.checkKills(80)
    expect(imports.kills).toBeGreaterThan(100)
  })
})
