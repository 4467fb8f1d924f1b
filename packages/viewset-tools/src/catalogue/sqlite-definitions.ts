/** Strings, quoted names, comments, parentheses, commas, words, and whatever else there is, a character each. */
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*.*?\*\/|[(),]|[\w$]+|\s+|./gsu

/**
 * The expressions of the generated columns in a `create table`, by the columns' names in lower case: no pragma tells
 * them.
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

/** By what the columns of a `create table` are compared, by their names in lower case, where that is said. */
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

/** What a `create index` is over, each part as SQL. */
export function indexedExpressions(createIndex: string): readonly string[] {
  return definitionsIn(createIndex).map(part => part.trim())
}

/** What stands in the first parentheses of a statement, part by part. */
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

/** Splits at a token: at the first one, or at `all` that stand in no parentheses. */
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

/** What stands before the parenthesis that closes the one in front. */
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
