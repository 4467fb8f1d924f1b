import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pagesOf, readContents } from '../../../../site/contents.ts'
import { accessibilityViolations, useBrowser } from '../support/browser.ts'
import { BuiltSite, deadLinksOf, linksOf } from '../support/built-site.ts'
import { env, root } from '../support/snippets.ts'

const REPOSITORY = 'https://example.org/viewset'
const browser = useBrowser()
let site: BuiltSite

beforeAll(async () => {
  site = await BuiltSite.build('/docs/viewset/', REPOSITORY)
}, 10 * 60_000)
afterAll(() => site?.remove())

async function open(path: string, context: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage(context)
  await page.goto(site.address(path), { waitUntil: 'networkidle' })
  return page
}

/** The built page of one below `docs/`. */
function pageOf(path: string): string {
  return path.replace(/README\.md$/, 'index.md').replace(/md$/, 'html')
}

/** Opens the search, and waits for what it finds. */
async function search(page: Page, words: string): Promise<readonly string[]> {
  await page.getByRole('button', { name: 'Search' }).click()
  await page.locator('#localsearch-input').fill(words)
  const results = page.locator('#localsearch-list .result')
  await results.first().waitFor()
  return results.evaluateAll(links => links.map(link => link.getAttribute('href') ?? ''))
}

describe('the built site', () => {
  test('has each page of the contents, the front page and one for what is not there', () => {
    const pages = pagesOf(readContents()).map(({ path }) => pageOf(path))
    const expected = ['index.html', '404.html', 'contents.html', ...pages]
    expect([...site.pages().keys()].toSorted()).toEqual([...new Set(expected)].toSorted())
  })

  test('has no link that leads nowhere', () => {
    expect(deadLinksOf(site)).toEqual([])
  })

  test('says above each block of code that is a file which one it is', () => {
    const names = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, name]) => name)
    const pages = [...new Set(pagesOf(readContents()).map(({ path }) => path))].map(path => ({
      path,
      written: names(readFileSync(join(root, 'docs', path), 'utf8'), /^ *```.* file=(\S+)/gm),
      shown: names(site.pages().get(pageOf(path)) ?? '', /<p class="file-name">([^<]*)<\/p>/g),
    }))
    expect(pages.flatMap(({ written }) => written).length).toBeGreaterThan(30)
    expect(pages.filter(({ written, shown }) => written.join() !== shown.join())).toEqual([])
  })

  test('leads to files of the repository that are there, and to where a page that is written by hand is edited', () => {
    const pages = site.pages()
    const linked = (path: string, below: string) =>
      linksOf(pages.get(path) ?? '').flatMap(({ href }) => (href.startsWith(below) ? [href.slice(below.length)] : []))
    const files = [...pages.keys()].flatMap(path => linked(path, `${REPOSITORY}/blob/main/`))
    expect(files).toContain('examples/atlas/clients/README.md')
    expect(files.filter(file => !existsSync(join(root, file.replace(/#.*/, ''))))).toEqual([])
    expect(linked('models.html', `${REPOSITORY}/edit/main/`)).toEqual(['docs/models.md'])
    expect(linked('reference/viewset-pg.html', `${REPOSITORY}/edit/main/`)).toEqual([])
  })

  test('is made by code that compiles', async () => {
    await promisify(execFile)('npm', ['run', 'check'], { cwd: join(root, 'site'), env })
  })
})

describe.each(['light', 'dark'] as const)('in %s colours', colorScheme => {
  describe.each([360, 1280])('in a window of %d pixels', width => {
    const context = { colorScheme, viewport: { width, height: 900 } }

    /** What every page keeps to; its picture is for a person to look at. */
    async function expectReadable(page: Page, name: string): Promise<void> {
      await page.screenshot({ path: join(tmpdir(), 'viewset-screenshots', `site-${name}-${colorScheme}-${width}.png`) })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      expect(await page.evaluate("document.documentElement.classList.contains('dark')")).toBe(colorScheme === 'dark')
      expect(await accessibilityViolations(page)).toEqual({})
    }

    test.each([
      ['front', ''],
      ['contents', 'contents.html'],
      ['getting-started', 'getting-started.html'],
      ['guide', 'filtering.html'],
      ['reference', 'reference/viewset-pg.html'],
    ])('the page %s can be read', async (name, path) => {
      await expectReadable(await open(path, context), name)
    })

    test('a search finds a page by what is in its text, and can be read', async () => {
      const page = await open('', context)
      const found = await search(page, 'PgBouncer')
      expect(found.some(address => address.startsWith(`${site.base}configuration.html`))).toBe(true)
      await expectReadable(page, 'search')
    })

    test('a page that is not there can be read', async () => {
      const page = await open('nothing.html', context)
      expect(await page.locator('h1').innerText()).toBe('There is no such page')
      expect(browser.problems.splice(0)).toEqual([expect.stringContaining('404 (Not Found)')])
      await expectReadable(page, 'not-found')
    })
  })
})

test.each(['import', 'importModel', 'BaseModelSerializer', 'filterFields'])(
  'a search for %s finds the guide before the reference',
  async words => {
    const [first] = await search(await open(''), words)
    expect(first).not.toContain('/reference/')
  },
)

test.each([
  ['benchmark', 'comparison.html'],
  ['validation', 'serializers.html'],
  ['install', 'getting-started.html'],
  ['nested', 'relations.html'],
  ['webhook', 'events.html'],
  ['if-match', 'two-people-one-record.html'],
  ['undo', 'undo-an-import.html'],
  ['invoice number', 'cookbook/number-per-year-without-gaps.html'],
])('a search for %s finds %s first', async (words, path) => {
  const [first] = await search(await open(''), words)
  expect(first?.replace(/#.*/, '')).toBe(site.base + path)
})

test('the contents are scrolled to the page that is shown', async () => {
  const page = await open('troubleshooting.html', { viewport: { width: 1280, height: 600 } })
  const entry = page.locator('.VPSidebar .is-link.is-active')
  await expect.poll(() => entry.evaluate(link => link.getBoundingClientRect().bottom)).toBeLessThan(600)
})

test.each([
  [1280, 800],
  [390, 844],
])('the front page has what Viewset gives and a result in a window of %d by %d', async (width, height) => {
  const page = await open('', { viewport: { width, height } })
  expect(await page.locator('h1').innerText()).not.toMatch(/Django|Nest|Rails/)
  const picture = await page.locator('.result img').boundingBox()
  expect(picture && picture.y + picture.height).toBeLessThan(height)
})

test('each page has a card for chats, whose picture is there', async () => {
  for (const html of site.pages().values()) expect(html).toMatch(/<meta property="og:title" content="[^"]+"/)
  const [, picture = ''] =
    /<meta property="og:image" content="([^"]+)"/.exec(site.pages().get('index.html') ?? '') ?? []
  expect(picture).toMatch(/\.webp$/)
  expect((await fetch(new URL(picture, site.address()))).status).toBe(200)
})

test('a block shows 88 characters of a line without a scroll bar in a window of 1440 pixels', async () => {
  const page = await open('import.html', { viewport: { width: 1440, height: 900 } })
  const block = page.locator('.vp-doc div[class*="language-"] pre').first()
  const width = await block.evaluate(pre => {
    const line = pre.querySelector('.line')
    if (line) line.textContent = 'x'.repeat(88)
    for (const other of pre.querySelectorAll('.line:not(:first-child)')) other.textContent = ''
    return [pre.scrollWidth, pre.clientWidth]
  })
  expect(width[0]).toBe(width[1])
})

test('no page is wider than a telephone', async () => {
  const page = await browser.newPage({ viewport: { width: 360, height: 900 } })
  const wide: string[] = []
  for (const path of site.pages().keys()) {
    await page.goto(site.address(path))
    if ((await page.evaluate('document.documentElement.scrollWidth')) !== 360) wide.push(path)
  }
  expect(wide).toEqual([])
})

test('a narrow window has the contents behind a button', async () => {
  const page = await open('filtering.html', { viewport: { width: 360, height: 900 } })
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('link', { name: 'Ordering', exact: true }).first().click()
  await page.waitForURL('**/ordering.html')
  expect(await accessibilityViolations(page)).toEqual({})
})
