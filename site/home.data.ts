import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMarkdownRenderer, type SiteConfig } from 'vitepress'
import { DOCS } from './contents.ts'

const SOURCES = ['../README.md', '../docs/getting-started.md']

interface Home {
  readonly example: string
  readonly envelope: string
}

declare const data: Home

export { data }

/** What the home page shows of other pages, where tests run it. */
export default {
  watch: SOURCES,
  async load(): Promise<Home> {
    const { srcDir, markdown, site } = (globalThis as unknown as { VITEPRESS_CONFIG: SiteConfig }).VITEPRESS_CONFIG
    const { render } = await createMarkdownRenderer(srcDir, markdown, site.base)
    return {
      example: render(blockOf('../README.md', /^```ts file=app\.ts\n.*?^```$/ms)),
      envelope: render(blockOf('getting-started.md', /^```json\n.*?^```$/ms)),
    }
  },
}

function blockOf(path: string, pattern: RegExp): string {
  const [block] = pattern.exec(readFileSync(join(DOCS, path), 'utf8')) ?? []
  if (block === undefined) throw new Error(`The home page shows a block of ${path} that is not there: ${pattern}`)
  return block
}
