import { syntaxNodes } from './sources.ts'

/** A sentence of a page or of a comment. */
export interface Sentence {
  /** The line on which it starts, from 1. */
  readonly line: number
  /** Inline code is one word, links and emphasis are plain text, and a line break is a space. */
  readonly text: string
  readonly words: number
}

interface Line {
  readonly number: number
  readonly text: string
}

/** What stands for inline code in a sentence. A private character makes it distinct from every word. */
export const CODE = '\uE000code'

/** The sentences of a Markdown page: of its front matter, headings, paragraphs, list items and table cells. */
export function sentencesOfMarkdown(text: string): readonly Sentence[] {
  const withoutScripts = text.replace(/^<script[\s\S]*?^<\/script>/gm, script => script.replace(/.*/g, ''))
  return sentencesOfLines(linesOf(withoutScripts, 1))
}

/** The sentences of all comments of a TypeScript file. Lines of `//` that follow each other are one paragraph. */
export function sentencesOfTypeScript(text: string): readonly Sentence[] {
  const found: Sentence[] = []
  let paragraph: Line[] = []
  const end = () => {
    found.push(...sentencesOfLines(paragraph))
    paragraph = []
  }
  for (const comment of commentsOf(text)) {
    const last = paragraph.at(-1)
    if (last && comment.isLine && comment.isAlone && comment.line === last.number + 1) {
      paragraph.push({ number: comment.line, text: comment.text })
      continue
    }
    end()
    if (comment.isLine) {
      paragraph.push({ number: comment.line, text: comment.text })
      if (!comment.isAlone) end()
    } else found.push(...sentencesOfLines(withoutExamples(linesOf(comment.text, comment.line))))
  }
  end()
  return found
}

interface Comment {
  /** The line on which it starts. */
  readonly line: number
  /** Without the marks of a comment, but with all its line breaks. */
  readonly text: string
  /** Written as `//`. */
  readonly isLine: boolean
  /** No code stands before it on its line. */
  readonly isAlone: boolean
}

/** Comments are what is left between the literals: a syntax tree has none. */
function commentsOf(text: string): readonly Comment[] {
  const literals = literalsOf(text)
  const comments: Comment[] = []
  const mark = /\/\/.*|\/\*[\s\S]*?\*\//g
  for (let match = mark.exec(text); match; match = mark.exec(text)) {
    const { index } = match
    const literal = literals.find(({ start, end }) => start <= index && index < end)
    if (literal) {
      mark.lastIndex = literal.end
      continue
    }
    const before = text.slice(0, index)
    const [raw] = match
    const isLine = raw.startsWith('//')
    comments.push({
      line: before.split('\n').length,
      text: isLine ? raw.replace(/^\/\/+ ?/, '') : raw.slice(2, -2).replace(/^[ \t]*\*+ ?/gm, ''),
      isLine,
      isAlone: /(^|\n)[ \t]*$/.test(before),
    })
  }
  return comments
}

interface Range {
  readonly start: number
  readonly end: number
}

function literalsOf(text: string): readonly Range[] {
  return syntaxNodes(text).filter(
    (node): node is typeof node & Range =>
      (node.type === 'Literal' || node.type === 'TemplateElement') && 'start' in node && 'end' in node,
  )
}

/** The lines of a doc comment without the code of `@example`, which ends at the next tag. */
function withoutExamples(lines: readonly Line[]): readonly Line[] {
  let isExample = false
  return lines.map(({ number, text }) => {
    if (/^@\w/.test(text)) isExample = text.startsWith('@example')
    return { number, text: isExample ? '' : text }
  })
}

function linesOf(text: string, first: number): readonly Line[] {
  return text.split('\n').map((line, index) => ({ number: first + index, text: line }))
}

const FENCE = /^[\s>]*(?:[-*+] |\d+[.)] )?(`{3,}|~{3,})/
/** Lists, headings, tags of doc comments, quotes and containers of the site: each starts a paragraph of its own. */
const STARTS_PARAGRAPH = /^\s*(?:[-*+] |\d+[.)] |#{1,6} |@\w|:::|<[a-z/!])/
const LIST_ITEM = /^\s*(?:[-*+]|\d+[.)]) /
const HAS_ONE_LINE = /^\s*(?:#{1,6} |:::)/

function sentencesOfLines(lines: readonly Line[]): readonly Sentence[] {
  const found: Sentence[] = []
  let paragraph: Line[] = []
  let fence: string | undefined
  let isFrontMatter = false
  let isInList = false
  const end = () => {
    if (paragraph.length > 0) found.push(...sentencesOfParagraph(paragraph))
    paragraph = []
  }
  for (const line of lines) {
    const [, mark] = FENCE.exec(line.text) ?? []
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined
      continue
    }
    if (mark) {
      end()
      fence = mark
      continue
    }
    if (line.text === '---') {
      end()
      isFrontMatter = line.number === 1
      continue
    }
    const text = line.text.replace(/^\s*> ?/, '')
    if (isFrontMatter || isTableRow(text)) {
      end()
      for (const cell of isFrontMatter ? [text.replace(/^[\w\s-]*:/, '')] : cellsOf(text)) {
        found.push(...sentencesOfParagraph([{ number: line.number, text: cell }]))
      }
      continue
    }
    if (text.trim() === '' || /^\[[^\]]+\]: /.test(text)) {
      end()
      continue
    }
    if (STARTS_PARAGRAPH.test(text)) end()
    // Lines with four blanks are code, except in a list.
    if (paragraph.length === 0) {
      if (/^ {4}/.test(text) && !isInList) continue
      isInList = LIST_ITEM.test(text) || (isInList && text.startsWith(' '))
    }
    paragraph.push({ number: line.number, text })
    if (HAS_ONE_LINE.test(text)) end()
  }
  end()
  return found
}

function isTableRow(text: string): boolean {
  return /^\s*\|.*\|\s*$/.test(text)
}

function cellsOf(row: string): readonly string[] {
  const inside = row.trim().slice(1, -1)
  const cells = inside.replace(/`[^`]*`/g, code => code.replaceAll('|', '\uE001')).split(/(?<!\\)\|/)
  return cells.map(cell => cell.replaceAll('\uE001', '|'))
}

/** Where a sentence ends: at `.`, `!` or `?`, behind the quotes and brackets that it closes, before a space. */
const SENTENCE = /[\s\S]*?(?:(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx))[.!?]["'”’)\]*_]*(?=\s)|$)/g

function sentencesOfParagraph(lines: readonly Line[]): readonly Sentence[] {
  const text = plain(lines.map(line => line.text).join('\n'))
  const sentences: Sentence[] = []
  for (const match of text.matchAll(SENTENCE)) {
    const [raw] = match
    const words = raw.match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0
    if (words === 0) continue
    const start = match.index + raw.search(/\S/)
    const line = (lines[0]?.number ?? 0) + text.slice(0, start).split('\n').length - 1
    sentences.push({ line, text: raw.trim().replace(/\s+/g, ' '), words })
  }
  return sentences
}

/** A paragraph without its Markdown. Line breaks stay, since they count the lines. */
function plain(text: string): string {
  const breaksOf = (part: string) => '\n'.repeat(part.split('\n').length - 1)
  return text
    .replace(/^\s*(?:(?:[-*+]|\d+[.)]) |#{1,6} |@(?:param|throws) (?:\{[^}]*\} |\S+ )?|@\w+|:::.*)/, '')
    .replace(/(`+)[\s\S]*?[^`]\1(?!`)/g, code => CODE + breaksOf(code))
    .replace(/\{@link [^}]*\}/g, link => CODE + breaksOf(link))
    .replace(/<!--[\s\S]*?-->|<\/?[a-zA-Z][^>]*>/g, breaksOf)
    .replace(
      /!?\[((?:[^\][]|\[[^\]]*\])*)\]\([^)]*\)/g,
      (link, label: string) => label + breaksOf(link.replace(label, '')),
    )
    .replace(/\*\*|__/g, '')
}
