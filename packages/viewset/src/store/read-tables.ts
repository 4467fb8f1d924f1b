/** The tables that a condition reads, in SQL: quoted, perhaps with a schema. */
export interface ReadTables {
  readonly tables: readonly string[]
  /** All names in it, without quotes: tables, schemas, columns, aliases. */
  readonly names: readonly string[]
}

/** What a dialect adds to the SQL that {@link readTables} knows. */
export interface ConstantSql {
  /** Functions whose result depends on their arguments only. */
  readonly functions: ReadonlySet<string>
  /** Words that are no functions, such as a unit of time. */
  readonly words: ReadonlySet<string>
}

const NAME = '"(?:[^"]|"")+"'
const TYPE = [
  `${NAME}(?:\\.${NAME})?`,
  'double precision',
  'character varying',
  String.raw`time(?:stamp)?(?:\s*\(\d\))?(?:\s+with(?:out)? time zone)?`,
  String.raw`[a-z_]\w*`,
].join('|')

const TOKEN = new RegExp(
  [
    String.raw`(?<blank>\s+)`,
    // An old setting of PostgreSQL gives the backslash a meaning.
    String.raw`(?<literal>'(?:[^'\\]|'')*')`,
    `(?<name>${NAME})`,
    String.raw`(?<value>\$\d+|\+?\?|\d+(?:\.\d+)?)`,
    String.raw`(?<cast>::\s*(?:${TYPE})(?:\s*\(\s*\d+(?:\s*,\s*\d+)?\s*\))?(?:\s*\[\])*)`,
    String.raw`(?<word>[a-z_]\w*)`,
    String.raw`(?<mark>[(),.[\]])`,
    '(?<operator>[-+*/<>=!|&@]+)',
  ].join('|'),
  'giy',
)

/** Words before a parenthesis that is not the call of a function. No function can have such a name. */
const BEFORE_GROUPS = wordsOf(
  `all and any array as between case cast distinct else except exists from having in intersect join not on or select some
  then union using when where`,
)

const OTHER_WORDS = wordsOf(
  'asc by collate cross desc end escape false full group ilike inner is left like natural null order outer right true',
)

const OPERATORS = wordsOf('= <> != < <= > >= + - * / || && @> <@ -> ->>')

/** What ends the list of tables behind FROM, in the same parentheses. */
const AFTER_TABLES = wordsOf('where group having order union intersect except')

/** Text that PostgreSQL reads as the time of the statement. */
const TIME_OF_STATEMENT = /(?<![a-z])(?:now|today|tomorrow|yesterday|allballs)(?![a-z])/i

export function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/))
}

/**
 * The tables that a rendered condition reads, if only their rows and its values decide which rows meet it. `undefined`
 * for other SQL: a call of an unknown function, `current_date`, a name without quotes.
 *
 * It knows what is constant, not what is not. If it does not know some SQL, counts with it are not kept.
 */
export function readTables(condition: string, sql: ConstantSql): ReadTables | undefined {
  return new ConditionReader(condition, sql).read()
}

/** A pair of parentheses, or the whole condition. */
interface Group {
  /** The function or keyword before it. */
  readonly of: string
  /** `start`: nothing is known; `select`: before its FROM; `tables`: behind it. */
  part: 'start' | 'select' | 'tables'
}

class ConditionReader {
  readonly #text: string
  readonly #sql: ConstantSql
  readonly #tables = new Set<string>()
  readonly #names = new Set<string>()
  readonly #groups: Group[] = []
  #group: Group = { of: '', part: 'start' }
  /** The two tokens before the current one. */
  #last = ''
  #beforeLast = ''
  #table = ''

  constructor(text: string, sql: ConstantSql) {
    this.#text = text
    this.#sql = sql
  }

  read(): ReadTables | undefined {
    TOKEN.lastIndex = 0
    while (TOKEN.lastIndex < this.#text.length) {
      const groups = TOKEN.exec(this.#text)?.groups
      if (!groups) return undefined
      if (groups.blank !== undefined) continue
      if (!this.#take(groups)) return undefined
    }
    this.#endTable()
    return { tables: [...this.#tables], names: [...this.#names] }
  }

  /** Whether the token may follow the ones before. */
  #take({ literal, name, word, mark, operator }: Readonly<Record<string, string | undefined>>): boolean {
    const token = name ?? word?.toLowerCase() ?? mark ?? operator ?? ''
    if (token !== '.' && !(name && this.#last === '.')) this.#endTable()
    const isKnown = this.#isPlace(token) && this.#isConstant(token, { literal, name, word, mark, operator })
    this.#beforeLast = this.#last
    this.#last = token
    return isKnown
  }

  /** FROM, JOIN and IN stand before a table or a group, never before anything else. */
  #isPlace(token: string): boolean {
    if (this.#last === '(' && this.#group.part === 'tables') return token === 'select'
    if (this.#last === 'in') return token === '('
    if (!this.#isTableNext) return true
    return token === '(' || token.startsWith('"') || this.#sql.functions.has(token)
  }

  get #isTableNext(): boolean {
    return this.#group.part === 'tables' && (this.#last === 'from' || this.#last === 'join')
  }

  #isConstant(token: string, { literal, name, word, mark, operator }: Readonly<Record<string, string | undefined>>) {
    if (literal !== undefined) return !TIME_OF_STATEMENT.test(literal)
    if (operator !== undefined) return OPERATORS.has(operator)
    if (name !== undefined) return this.#takeName(name)
    if (word !== undefined) return this.#takeWord(token)
    if (mark === '(') return this.#open()
    if (mark === ')') return this.#close()
    // A second table may follow a comma.
    return mark !== ',' || this.#group.part !== 'tables'
  }

  #takeName(name: string): boolean {
    this.#names.add(name.slice(1, -1).replaceAll('""', '"'))
    if (this.#isTableNext) this.#table = name
    else if (this.#table !== '') this.#table += `.${name}`
    return true
  }

  #takeWord(word: string): boolean {
    const group = this.#group
    if (word === 'select') group.part = 'select'
    else if (word === 'from') return this.#takeFrom()
    else if (word === 'join') return group.part === 'tables'
    else if (AFTER_TABLES.has(word)) group.part = 'start'
    else if (group.of === 'cast' && this.#last === 'as') return true
    const { functions, words } = this.#sql
    return BEFORE_GROUPS.has(word) || OTHER_WORDS.has(word) || functions.has(word) || words.has(word)
  }

  #takeFrom(): boolean {
    const isDistinct = this.#last === 'distinct' && (this.#beforeLast === 'is' || this.#beforeLast === 'not')
    if (isDistinct || this.#group.of === 'extract') return true
    if (this.#group.part !== 'select') return false
    this.#group.part = 'tables'
    return true
  }

  #open(): boolean {
    const last = this.#last
    const isCall = this.#sql.functions.has(last)
    // A quoted name may be a function, too.
    if (/^["a-z_]/.test(last) && !isCall && !BEFORE_GROUPS.has(last)) return false
    const part = this.#isTableNext ? 'tables' : 'start'
    this.#groups.push(this.#group)
    this.#group = { of: last, part }
    return true
  }

  #close(): boolean {
    const outer = this.#groups.pop()
    if (outer) this.#group = outer
    return outer !== undefined
  }

  #endTable(): void {
    if (this.#table !== '') this.#tables.add(this.#table)
    this.#table = ''
  }
}

/** Whether values mean the same at any time. Different values also differ in JSON. */
export function areConstant(values: readonly unknown[]): boolean {
  return values.every(value => {
    if (Array.isArray(value)) return areConstant(value)
    if (typeof value === 'string') return !TIME_OF_STATEMENT.test(value)
    if (typeof value === 'number') return Number.isFinite(value)
    return value === null || typeof value !== 'object'
  })
}
