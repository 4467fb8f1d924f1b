/** Strings, quoted names, comments, parentheses, commas and words. Any other character is a token by itself. */
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*.*?\*\/|[(),]|[\w$]+|\s+|./gsu

/**
 * The expressions of the generated columns in a `create table`, by column name in lower case. No pragma returns them.
 */
export function generatedExpressions(createTable: string): ReadonlyMap<string, string> {
  const expressions = new Map<string, string>()
  for (const definition of definitionsIn(createTable)) {
    const tokens = tokensOf(definition)
    const start = tokens.findIndex((token, index) => /^as$/i.test(token) && nextIs(tokens, index, '('))
    const [name] = tokens.filter(isCode)
    if (start < 0 || name === undefined) continue
    const open = tokens.indexOf('(', start)
    expressions.set(unquoted(name).toLowerCase(), inParentheses([tokens.slice(open + 1).join('')]).trim())
  }
  return expressions
}

/** The declared collations in a `create table`, by column name in lower case. */
export function columnCollations(createTable: string): ReadonlyMap<string, string> {
  const collations = new Map<string, string>()
  for (const definition of definitionsIn(createTable)) {
    const tokens = outsideParentheses(definition)
    const at = tokens.findIndex(token => /^collate$/i.test(token))
    const [name] = tokens
    const collation = tokens[at + 1]
    if (at > 0 && name !== undefined && collation !== undefined) {
      collations.set(unquoted(name).toLowerCase(), unquoted(collation).toUpperCase())
    }
  }
  return collations
}

/** The indexed parts of a `create index`, each as SQL. */
export function indexedExpressions(createIndex: string): readonly string[] {
  return definitionsIn(createIndex).map(part => part.trim())
}

/** The parts in the first parentheses of a statement. */
function definitionsIn(statement: string): readonly string[] {
  const [, ...body] = splitAt(statement, '(')
  return body.length > 0 ? splitAt(inParentheses(body), ',', true) : []
}

function outsideParentheses(text: string): readonly string[] {
  let depth = 0
  return tokensOf(text).filter(token => {
    if (token === ')') depth--
    const isOutside = depth === 0 && isCode(token)
    if (token === '(') depth++
    return isOutside
  })
}

function tokensOf(text: string): readonly string[] {
  return text.match(TOKEN) ?? []
}

function isCode(token: string): boolean {
  return !/^(?:\s|--|\/\*)/.test(token)
}

function nextIs(tokens: readonly string[], index: number, wanted: string): boolean {
  return tokens.slice(index + 1).find(isCode) === wanted
}

/** Splits at the first separator or, with `all`, at each one outside of parentheses. */
function splitAt(text: string, separator: string, all = false): readonly string[] {
  const parts = ['']
  let depth = 0
  for (const token of tokensOf(text)) {
    const splits = token === separator && depth === 0 && (all || parts.length === 1)
    if (!splits && token === '(') depth++
    if (!splits && token === ')') depth--
    if (splits) parts.push('')
    else parts[parts.length - 1] += token
  }
  return parts
}

/** The text before the parenthesis that closes the first one. */
function inParentheses([text = '']: readonly string[]): string {
  let depth = 1
  let inside = ''
  for (const token of tokensOf(text)) {
    if (token === '(') depth++
    if (token === ')' && --depth === 0) return inside
    inside += token
  }
  return inside
}

function unquoted(name: string): string {
  const quote = name.charAt(0)
  if (quote === '[') return name.slice(1, -1)
  return `"'\``.includes(quote) ? name.slice(1, -1).replaceAll(quote + quote, quote) : name
}
