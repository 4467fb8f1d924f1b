import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMarkdownRenderer, type SiteConfig } from 'vitepress'
import { DOCS } from './contents.ts'

const CONTENTS = 'README.md'

interface Home {
  readonly example: string
  readonly answer: string
}

declare const data: Home

export { data }

/** What the home page shows of the contents page, whose code a test runs. */
export default {
  watch: [`../docs/${CONTENTS}`],
  async load(): Promise<Home> {
    const { srcDir, markdown, site } = (globalThis as unknown as { VITEPRESS_CONFIG: SiteConfig }).VITEPRESS_CONFIG
    const { render } = await createMarkdownRenderer(srcDir, markdown, site.base)
    const page = readFileSync(join(DOCS, CONTENTS), 'utf8')
    return {
      example: render(blockOf(page, /^```ts file=authors\.ts\n.*?^```$/ms)),
      answer: render(blockOf(page, /^```json\n.*?^```$/ms)),
    }
  },
}

function blockOf(page: string, pattern: RegExp): string {
  const [block] = pattern.exec(page) ?? []
  if (block === undefined)
    throw new Error(`The home page shows a block of docs/${CONTENTS} that is not there: ${pattern}`)
  return block
}
