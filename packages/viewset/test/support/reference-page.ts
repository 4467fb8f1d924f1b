import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'

/** The reference page as a person uses it. */
export class ReferencePage {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  /** Waits until there is something to read: operations, or why there are none. */
  async open(address: string): Promise<this> {
    await this.page.goto(address)
    await this.page.locator('.opblock, .locked .info').first().waitFor()
    return this
  }

  tags(): Promise<string[]> {
    return this.page.locator('.opblock-tag').evaluateAll(tags => tags.map(tag => tag.getAttribute('data-tag') ?? ''))
  }

  /** Method and path of each operation that is shown. */
  operations(): Promise<string[]> {
    return this.page.locator('.opblock-summary-control').evaluateAll(controls =>
      controls.map(control => {
        const method = control.querySelector('.opblock-summary-method')?.textContent
        return `${method} ${control.querySelector('[data-path]')?.getAttribute('data-path')}`
      }),
    )
  }

  /** The document that the page shows, as its server gives it to this browser. */
  async document(): Promise<{ readonly paths: Readonly<Record<string, object>> }> {
    return (await this.page.request.get(new URL('../openapi.json', this.page.url()).href)).json()
  }

  /** What the document says of the API, or why it says nothing. */
  description(): Promise<string> {
    return this.page.locator('.info .description').innerText()
  }

  colorScheme(): Promise<unknown> {
    return this.page.evaluate('getComputedStyle(document.documentElement).colorScheme')
  }

  /** Signs in by one of the document's ways, in the dialog for it. */
  async signIn(scheme: string, value: string): Promise<void> {
    await this.page.locator('.auth-wrapper .authorize').first().click()
    const form = this.page.locator('.auth-container').filter({ has: this.page.locator(`code:text-is("${scheme}")`) })
    // What was refused before goes first.
    const known = form.getByText('Logout')
    if (await known.isVisible()) await known.click()
    await form.locator('input').fill(value)
    await form.getByRole('button', { name: 'Authorize' }).click()
    await this.page.locator('.close-modal').click()
  }

  /** Unfolds an operation and makes its fields ready to be filled. */
  async tryOut(method: string, path: string): Promise<Locator> {
    const own = this.page.locator(`[data-path="${path}"]`)
    const operation = this.page.locator(`.opblock-${method.toLowerCase()}`).filter({ has: own })
    await operation.locator('.opblock-summary-control').click()
    await operation.getByRole('button', { name: 'Try it out' }).click()
    return operation
  }

  /** For a person to look at: in the folder for temporary files. */
  async screenshot(name: string): Promise<void> {
    await this.page.screenshot({ path: join(tmpdir(), 'viewset-screenshots', `${name}.png`), fullPage: true })
  }
}

/** Sends what an operation's fields say, and waits for the answer: its status, and its body as it is shown. */
export async function answerOf(operation: Locator): Promise<{ status: string; body: string }> {
  await operation.getByRole('button', { name: 'Execute' }).click()
  const answer = operation.locator('.live-responses-table .response')
  const body = answer.locator('.highlight-code code').first()
  await body.waitFor()
  return { status: (await answer.locator('.response-col_status').innerText()).trim(), body: await body.innerText() }
}
