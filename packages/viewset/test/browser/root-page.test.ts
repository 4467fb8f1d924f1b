import { AllowAny, ReadOnlyViewSet } from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { accessibilityViolations, useBrowser } from '../support/browser.ts'
import { sqliteDialect } from '../support/dialects.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'
import { stripPath } from '../support/stripping-proxy.ts'

const browser = useBrowser()
const tables = models(sqliteDialect.kit)
const api = useApi(sqliteDialect, {
  tables,
  openapi: { info: { title: 'Publishing house', version: '2.1.0', description: 'Authors and their articles.' } },
  docs: true,
  resources: {
    authors: ReadOnlyViewSet({
      model: tables.authors,
      serializer: serializers(tables).AuthorReference,
      permissionClasses: [AllowAny],
      describes: { description: `Everyone who writes. ${'A_very_long_word'.repeat(10)}` },
    }),
  },
})
const address = async () => `http://127.0.0.1:${await api.listen()}`

describe.each(['light', 'dark'] as const)('the page of the root in %s colours', colorScheme => {
  test.each([380, 1280])('can be read in a window of %d pixels', async width => {
    await seed(api.database, tables, { authors: [{ name: 'Ada', email: 'ada@example.org' }] })
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } })
    await page.goto(`${await address()}/api/`)
    expect(await page.locator('h1').innerText()).toBe('Publishing house 2.1.0')
    expect(await page.locator('li .count').innerText()).toBe('1 record')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    expect(await accessibilityViolations(page)).toEqual({})
  })
})

describe.each(['/api', '/api/'])('at %s behind a proxy that shows the API at another path', path => {
  test.each(['Authors', 'OpenAPI document', 'Reference'])('the link "%s" leads where it says', async name => {
    const { address: shown, server } = await stripPath('/shop', await address())
    const page = await browser.newPage()
    await page.goto(shown + path)
    const link = await page.getByRole('link', { name }).evaluate(element => Reflect.get(element, 'href') as string)
    // Not a click: a browser asks for the icon of an address that is no page.
    const answer = await page.request.get(link)
    expect([answer.status(), link.startsWith(`${shown}/api/`)]).toEqual([200, true])
    await page.context().close()
    server.close()
  })
})
