import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** As wide as a block of the site; see test/house/code-width.test.ts. */
const WIDTH = 88

export function isWide(text: string): boolean {
  return text.split('\n').some(line => line.length > WIDTH)
}

interface Wrapper {
  readonly before: string
  readonly after: string
  readonly extension: string
}

/** A declaration has no body; a member of an interface is no program by itself, and an interface without a body is none. */
const WRAPPERS: readonly Wrapper[] = [
  { before: '', after: '', extension: '.ts' },
  { before: '', after: '', extension: '.d.ts' },
  { before: '', after: ' {}', extension: '.ts' },
  { before: 'interface Wrapper {\n', after: '\n}', extension: '.ts' },
]

/** Texts of TypeScript with short lines, by the texts. What does not parse is not among them. */
export function formatAll(texts: readonly string[]): ReadonlyMap<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'viewset-format-'))
  try {
    writeFileSync(join(folder, 'biome.json'), JSON.stringify(options()))
    mkdirSync(join(folder, 'code'))
    const programs = texts.flatMap((text, n) =>
      WRAPPERS.map((wrapper, w) => {
        const program = wrapper.before + text + wrapper.after
        const file = join(folder, `code/${n}-${w}${wrapper.extension}`)
        writeFileSync(file, program)
        return { text, wrapper, program, file }
      }),
    )
    format(folder)
    const found = new Map<string, string>()
    for (const { text, wrapper, program, file } of programs) {
      const formatted = readFileSync(file, 'utf8')
      if (formatted !== program && !found.has(text)) found.set(text, unwrap(formatted, wrapper))
    }
    return found
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function options(): object {
  const { javascript } = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8')) as { javascript: object }
  return {
    root: true,
    files: { maxSize: 10_000_000 },
    formatter: { indentStyle: 'space', indentWidth: 2, lineWidth: WIDTH },
    linter: { enabled: false },
    assist: { enabled: false },
    javascript,
  }
}

/** Formats what parses. Biome fails if one file does not parse, and has written the others. */
function format(folder: string): void {
  try {
    const biome = join(root, 'node_modules/.bin/biome')
    execFileSync(biome, ['format', '--write', '--max-diagnostics=1', '.'], { cwd: folder, stdio: 'ignore' })
  } catch {
    // The texts of those files stay as they are.
  }
}

function unwrap(program: string, { before, after }: Wrapper): string {
  const text = program.trimEnd()
  if (before !== '') {
    const lines = text.split('\n').slice(1, -1)
    return lines.map(line => line.replace(/^ {2}/, '')).join('\n')
  }
  return after === '' ? text : text.replace(/\s*\{\s*\}$/, '')
}
