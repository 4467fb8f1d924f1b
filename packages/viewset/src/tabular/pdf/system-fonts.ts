import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'

/** The used part of a font of fontkit, which pdfkit brings. */
interface OpenedFont {
  readonly postscriptName: string | null
  readonly characterSet: readonly number[]
  readonly directory: { readonly tables: Readonly<Record<string, unknown>> }
  readonly 'OS/2'?: { readonly fsType?: { readonly noEmbedding?: boolean; readonly bitmapOnly?: boolean } }
}

type OpenFile = (path: string) => OpenedFont | { readonly fonts: readonly OpenedFont[] }

/** A font of the system and its characters: a bit for each code point. */
interface KnownFont {
  readonly path: string
  readonly characters: Uint8Array
}

const CODE_POINTS = 0x110000
const MOST_FILES = 5_000
const DEEPEST = 4
/** Opening a large font takes some 20 ms. A font for an emoji is often missing, which must leave some for other scripts. */
const MOST_OPENED = { forScript: 60, inAll: 240 }
const FONT = /\.(?:ttf|otf|ttc)$/i
const COLLECTION = /\.ttc$/i
/** Faces that suit a table less. */
const SPECIAL = /bold|italic|oblique|light|thin|black|heavy|medium|mono|condensed|narrow|serif|\[/i

/** The scripts after which fonts are named: `NotoSansThai-Regular.ttf`. */
const SCRIPTS: readonly (Script & { readonly characters: RegExp })[] = [
  {
    name: 'East Asian',
    characters: /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Bopomofo}|\p{Script=Hangul}/u,
    fonts:
      /cjk|sans ?(?:sc|tc|jp|kr|hk)|han ?sans|hei|song|ming|gothic|fallback|pingfang|hiragino|yahei|jhenghei|meiryo|malgun|simsun|nanum|wqy/i,
  },
  ...[
    ...['Arabic', 'Hebrew', 'Thai', 'Devanagari', 'Bengali', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Gujarati'],
    ...['Gurmukhi', 'Sinhala', 'Khmer', 'Lao', 'Myanmar', 'Tibetan', 'Georgian', 'Armenian', 'Ethiopic', 'Mongolian'],
  ].map(name => ({ name, characters: new RegExp(`\\p{Script=${name}}`, 'u'), fonts: new RegExp(name, 'i') })),
  { name: 'emoji', characters: /\p{Extended_Pictographic}/u, fonts: /emoji|symbol/i },
]

/** Finds fonts of the system for characters that the fonts of the application lack. */
export class SystemFonts {
  readonly #folders: readonly string[]
  #open: OpenFile | undefined
  /** Paths of files that are not opened yet; `undefined` before the first search. */
  #files: Set<string> | undefined
  readonly #known: KnownFont[] = []
  /** The number of opened files by the script that was looked for. */
  readonly #opened = new Map<string, number>()
  #openedInAll = 0
  readonly #missing = new Set<string>()

  /** @param folders default: those of the operating system */
  constructor(folders: readonly string[] = systemFolders()) {
    this.#folders = folders
  }

  /** The path of a font with all characters of a text; `undefined` if there is none. */
  find(text: string): string | undefined {
    if (this.#missing.has(text)) return undefined
    const codes = [...text].map(character => character.codePointAt(0) ?? 0)
    const found = this.#known.find(font => hasAll(font, codes)) ?? this.#search(text, codes)
    if (!found) this.#missing.add(text)
    return found?.path
  }

  #search(text: string, codes: readonly number[]): KnownFont | undefined {
    this.#files ??= filesIn(this.#folders)
    const script = scriptOf(text)
    const rank = rankFor(script)
    const files = [...this.#files].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    for (const file of files) {
      const opened = this.#opened.get(script.name) ?? 0
      const isNamed = rank(file) < OTHER
      if (opened >= MOST_OPENED.forScript || (!isNamed && this.#openedInAll >= MOST_OPENED.inAll)) return undefined
      this.#opened.set(script.name, opened + 1)
      this.#openedInAll++
      this.#files.delete(file)
      const fonts = this.#read(file)
      this.#known.push(...fonts)
      const found = fonts.find(font => hasAll(font, codes))
      if (found) return found
    }
    return undefined
  }

  /** The fonts of a file that a PDF can contain. A damaged file has none. */
  #read(file: string): readonly KnownFont[] {
    try {
      this.#open ??= openerOfPdfkit()
      const opened = this.#open(file)
      const fonts = 'fonts' in opened ? opened.fonts : [opened]
      return fonts.filter(canEmbed).map(font => ({
        path: COLLECTION.test(file) ? `${file}#${font.postscriptName}` : file,
        characters: charactersOf(font),
      }))
    } catch {
      return []
    }
  }
}

function openerOfPdfkit(): OpenFile {
  const pdfkit = createRequire(import.meta.url).resolve('pdfkit')
  const { openSync } = createRequire(pdfkit)('fontkit') as { readonly openSync: OpenFile }
  return openSync
}

/** Fonts of colour pictures have no outlines. The maker of a font may forbid to embed it. */
function canEmbed({ directory: { tables }, 'OS/2': os2 }: OpenedFont): boolean {
  const hasOutlines = tables.glyf !== undefined || tables['CFF '] !== undefined
  return hasOutlines && os2?.fsType?.noEmbedding !== true && os2?.fsType?.bitmapOnly !== true
}

function charactersOf({ characterSet }: OpenedFont): Uint8Array {
  const bits = new Uint8Array(CODE_POINTS / 8)
  for (const code of characterSet) if (code < CODE_POINTS) bits[code >> 3] = (bits[code >> 3] ?? 0) | (1 << (code & 7))
  return bits
}

function hasAll({ characters }: KnownFont, codes: readonly number[]): boolean {
  return codes.every(code => ((characters[code >> 3] ?? 0) & (1 << (code & 7))) !== 0)
}

interface Script {
  readonly name: string
  /** The names of its fonts. */
  readonly fonts: RegExp
}

/** The script of a text: one after which fonts are named, or its block of 256 characters. */
function scriptOf(text: string): Script {
  const known = SCRIPTS.find(({ characters }) => characters.test(text))
  if (known) return known
  return { name: String((text.codePointAt(0) ?? 0) >> 8), fonts: /unicode|unifont|symbol|dejavu/i }
}

/** The smallest rank of fonts that are not named after the script. */
const OTHER = 2

/** Files with smaller ranks are opened first. */
function rankFor({ fonts }: Script): (path: string) => number {
  return path => {
    const name = basename(path)
    return (fonts.test(name) ? 0 : OTHER) + (SPECIAL.test(name) ? 1 : 0)
  }
}

function filesIn(folders: readonly string[]): Set<string> {
  const files = new Set<string>()
  const add = (folder: string, depth: number) => {
    for (const entry of entriesOf(folder)) {
      if (files.size >= MOST_FILES) return
      const path = join(folder, entry.name)
      if (entry.isDirectory() && depth < DEEPEST) add(path, depth + 1)
      else if (FONT.test(entry.name)) files.add(path)
    }
  }
  for (const folder of folders) add(folder, 1)
  return files
}

/** A folder that is missing or closed to this process has no fonts. */
function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

function systemFolders(): readonly string[] {
  const home = homedir()
  if (process.platform === 'darwin') {
    return ['/System/Library/Fonts', '/Library/Fonts', join(home, 'Library/Fonts')]
  }
  if (process.platform === 'win32') {
    const { WINDIR = 'C:\\Windows', LOCALAPPDATA = join(home, 'AppData/Local') } = process.env
    return [join(WINDIR, 'Fonts'), join(LOCALAPPDATA, 'Microsoft/Windows/Fonts')]
  }
  return ['/usr/share/fonts', '/usr/local/share/fonts', join(home, '.local/share/fonts'), join(home, '.fonts')]
}
