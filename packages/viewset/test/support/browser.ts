import { existsSync } from 'node:fs'
import axe, { type AxeResults } from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'

/** Debian's Chromium, or the one that `CHROMIUM_PATH` names. */
function chromiumPath(): string {
  const path = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
  if (existsSync(path)) return path
  throw new Error(
    `There is no Chromium at ${path}: run "apt-get install chromium", or set CHROMIUM_PATH to where another one lies.`,
  )
}

/** A Chromium without a network but this machine, which is strict with the pages that it is shown. */
export class TestBrowser {
  readonly #browser: Browser
  readonly #pages: Page[] = []
  /** What pages have done that they should not: errors, breaches of their policy, requests to other hosts. */
  readonly problems: string[] = []

  private constructor(browser: Browser) {
    this.#browser = browser
  }

  static async start(): Promise<TestBrowser> {
    const args = ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1']
    return new TestBrowser(await chromium.launch({ executablePath: chromiumPath(), args }))
  }

  /** A page of a browser that nobody has used before. */
  async newPage(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await this.#browser.newPage(options)
    this.#pages.push(page)
    page.on('pageerror', error => this.problems.push(`threw ${error.message}`))
    page.on('console', message => {
      if (message.type() === 'error') this.problems.push(`logged ${message.text()}`)
    })
    page.on('request', request => {
      const { protocol, hostname, origin } = new URL(request.url())
      if (/^https?:$/.test(protocol) && hostname !== '127.0.0.1') this.problems.push(`asked ${origin}`)
    })
    return page
  }

  async closePages(): Promise<void> {
    await Promise.all(this.#pages.splice(0).map(page => page.context().close()))
    this.problems.length = 0
  }

  close(): Promise<void> {
    return this.#browser.close()
  }
}

/** A browser for the tests of the surrounding suite; a page that has a problem which its test does not expect fails it. */
export function useBrowser(): Pick<TestBrowser, 'newPage' | 'problems'> {
  let browser: TestBrowser | undefined
  const started = (): TestBrowser => {
    if (!browser) throw new Error('The browser has not been started yet: use it inside of a test.')
    return browser
  }
  beforeAll(async () => {
    browser = await TestBrowser.start()
  })
  afterEach(async () => {
    const problems = [...started().problems]
    await started().closePages()
    expect(problems).toEqual([])
  })
  afterAll(() => browser?.close())
  return {
    newPage: options => started().newPage(options),
    get problems() {
      return started().problems
    },
  }
}

/** What axe finds wrong with a page: the places by the id of the rule. */
export async function accessibilityViolations(page: Page): Promise<Readonly<Record<string, readonly string[]>>> {
  // As a person at the developer tools would: the page's policy keeps all other ways shut.
  await page.evaluate(`${axe.source};undefined`)
  const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })")
  return Object.fromEntries(violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target.join(' '))]))
}
