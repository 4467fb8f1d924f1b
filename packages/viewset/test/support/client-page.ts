import type { JSHandle } from 'playwright-core'
import type { ClientError, createClient } from 'viewset/client'
import type { TestBrowser } from './browser.ts'
import { bundledClient } from './bundle.ts'

/** What a page has of `viewset/client`. */
export interface ClientModule {
  readonly createClient: typeof createClient
  readonly ClientError: typeof ClientError
}

let bundled: ReturnType<typeof bundledClient> | undefined

/** The bundled client as a page of the API's own origin has loaded it. */
export async function openClientPage(
  browser: Pick<TestBrowser, 'newPage'>,
  origin: string,
): Promise<JSHandle<ClientModule>> {
  bundled ??= bundledClient()
  const { code } = await bundled
  const page = await browser.newPage()
  await page.route(`${origin}/page`, route =>
    route.fulfill({
      contentType: 'text/html',
      body: '<!doctype html><link rel="icon" href="data:,"><title>A page</title>',
    }),
  )
  await page.route(`${origin}/client.js`, route => route.fulfill({ contentType: 'text/javascript', body: code }))
  // What a browser sees of an answer whose headers another origin keeps to itself.
  await page.route(`${origin}/bare/**`, route => route.fulfill({ status: 413, headers: { 'x-empty': '' } }))
  await page.goto(`${origin}/page`)
  return page.evaluateHandle<ClientModule>("import('/client.js')")
}
