import { expect, test } from 'vitest'
import { freePort } from '../../viewset/test/support/free-port.ts'
import { PROJECT_PAGES } from '../../viewset/test/support/snippets.ts'
import { ShellPage } from './support/shell-page.ts'

test.each(Object.keys(PROJECT_PAGES))('the commands of %s print what it says', async path => {
  const page = await ShellPage.open(path, await freePort())
  try {
    const difference = await page.follow()
    if (difference) expect(difference.actual, difference.at).toEqual(difference.expected)
  } finally {
    await page.close()
  }
})
