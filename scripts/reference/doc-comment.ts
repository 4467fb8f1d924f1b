/** What a doc comment says. */
export interface DocComment {
  /** Markdown, with `{@link Name}` as it was written. */
  readonly text: string
  readonly throws: readonly string[]
  readonly examples: readonly string[]
}

/** The doc comment that ends where something begins, if there is one. */
export function commentBefore(text: string, start: number): DocComment | undefined {
  const [comment] = /\/\*\*(?:[^*]|\*(?!\/))*\*\/\s*$/.exec(text.slice(0, start)) ?? []
  return comment === undefined ? undefined : readComment(comment)
}

function readComment(comment: string): DocComment {
  const lines = comment
    .trim()
    .slice('/**'.length, -'*/'.length)
    .split('\n')
    .map(line => line.replace(/^\s*\* ?/, ''))
  // A tag stands at the beginning of a line, or behind the sentence of a short comment.
  const [text = '', ...tags] = lines.join('\n').split(/(?:^|(?<=\s))@(?=(?:throws|example|param|returns)\b)/)
  const tagged = (name: string) =>
    tags.filter(tag => tag.startsWith(name)).map(tag => tag.slice(name.length).replace(/^[ \n]+|\s+$/g, ''))
  return { text: paragraphs(text), throws: tagged('throws').map(paragraphs), examples: tagged('example') }
}

/** Lines of a paragraph are one line, as they are broken for the width of code. Lists keep theirs. */
function paragraphs(text: string): string {
  return text
    .trim()
    .split(/\n{2,}/)
    .map(part => part.replace(/\n(?!\s*[-*\d|])\s*/g, ' '))
    .join('\n\n')
}
