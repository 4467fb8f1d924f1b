import { parseAst } from 'vite'

/** A place in a source where an active mutant replaces one expression. */
export interface Site {
  readonly start: number
  readonly end: number
  /** The text that replaces the text from `start` to `end`. */
  readonly replacement: string
  /** It begins a statement. */
  readonly isStatement: boolean
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

const OPERATORS: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
}

/** Expressions around a type. Their value is that of the inner expression. */
const AROUND_TYPES = ['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'TSInstantiationExpression']

/**
 * The places of a source that can be mutated: operators, conditions, booleans, returned values, and calls with an
 * unused result. Code outside of functions runs once for each process, before a mutant can be active, so it is left
 * out.
 */
export function sitesOf(text: string): Site[] {
  const sites: Omit<Site, 'isStatement'>[] = []
  const statements = new Set<number>()
  const slice = ({ start, end }: Node) => text.slice(start, end)
  const add = ({ start, end }: Node, replacement: string) => sites.push({ start, end, replacement })
  const visit = (node: Node, isInFunction: boolean): void => {
    if (node.type === 'ExpressionStatement') statements.add(node.start)
    if (isInFunction) addSites(node, slice, add)
    const isInside = isInFunction || /Function/.test(node.type)
    for (const [key, child] of Object.entries(node)) {
      if (AROUND_TYPES.includes(node.type) && key !== 'expression') continue
      for (const each of Array.isArray(child) ? child : [child]) {
        if (isNode(each) && (!each.type.startsWith('TS') || AROUND_TYPES.includes(each.type))) visit(each, isInside)
      }
    }
  }
  visit(parseAst(text, { lang: 'ts' }) as unknown as Node, false)
  return sites.map(site => ({ ...site, isStatement: statements.has(site.start) }))
}

function addSites(node: Node, slice: (node: Node) => string, add: (node: Node, replacement: string) => void): void {
  const { left, right, operator, test, argument, body, expression } = node as Node & Record<string, Node>
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      if (!left || !right) return
      const other = OPERATORS[String(operator)]
      if (other) add(node, `(${slice(left)}) ${other} (${slice(right)})`)
      else if (String(operator) === '??') add(node, slice(left))
      return
    }
    case 'IfStatement':
    case 'ConditionalExpression':
      if (!test) return
      add(test, 'true')
      add(test, 'false')
      return
    case 'WhileStatement':
      if (test) add(test, 'false')
      return
    case 'UnaryExpression':
      if (String(operator) === '!' && argument) add(node, slice(argument))
      return
    case 'Literal':
      if (typeof node.value === 'boolean') add(node, String(!node.value))
      return
    case 'ReturnStatement':
      if (argument && slice(argument) !== 'undefined') add(argument, 'undefined')
      return
    case 'ArrowFunctionExpression':
      if (node.expression && body) add(body, 'undefined')
      return
    case 'ExpressionStatement': {
      if (!expression) return
      const call = expression.type === 'AwaitExpression' ? (expression.argument as Node) : expression
      const isSuper = (call.callee as Node | undefined)?.type === 'Super'
      if (call.type === 'CallExpression' && !isSuper) add(expression, 'undefined')
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

/** `globalThis.__mutants` is one object for all sources of a process. */
const SWITCH = `const __mutants = (globalThis.__mutants ??= {
  active: Number(process.env.VIEWSET_MUTANT ?? -1), hits: new Set(), calls: 0,
  is(id) {
    this.hits.add(id);
    if (id !== this.active) return false;
    if (++this.calls > 2_000_000) throw new Error('The mutant does not end.');
    return true;
  },
});`.replaceAll(/\s+/g, ' ')

/** The source with all of its mutants. A mutant is active while `globalThis.__mutants.active` is its number. */
export function withMutants(text: string, mutants: ReadonlyMap<number, Site>): string {
  let mutated = text
  for (const [id, { start, end, replacement, isStatement }] of [...mutants].toSorted(
    ([, a], [, b]) => b.start - a.start,
  )) {
    const both = `(__mutants.is(${id}) ? (${replacement}) : (${mutated.slice(start, end)}))`
    // Without the `void`, a line that begins with a parenthesis would be arguments for the line before.
    mutated = `${mutated.slice(0, start)}${isStatement ? 'void ' : ''}${both}${mutated.slice(end)}`
  }
  return `${SWITCH} ${mutated}`
}
