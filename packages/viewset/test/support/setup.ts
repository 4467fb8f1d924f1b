import { afterEach, inject } from 'vitest'
import { foundDifferences, holdToDescription } from './hold-to-description.ts'

holdToDescription({ examples: inject('thorough') })

// In every test that asks an API, the API does what its document says.
afterEach(async () => {
  const found = await foundDifferences()
  if (found.length > 0) throw new Error(`The API's document says otherwise:\n${found.join('\n')}`)
})
