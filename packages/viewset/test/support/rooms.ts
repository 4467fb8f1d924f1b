import { dirname, join } from 'node:path/posix'
import { type SyntaxNode, syntaxNodes } from './sources.ts'

/** The folder of `viewset/` that holds a feature; `door` for the files that lie beside the folders. */
function roomOf(path: string): string | undefined {
  const [layer, room, ...below] = path.split('/')
  if (layer !== 'viewset') return undefined
  return below.length === 0 ? 'door' : room
}

/**
 * The imports that run from a room to one before it in `order`, as `answer > reading: 2`. Rooms that only import later ones
 * can be understood one after the other.
 */
export function backArrows(files: ReadonlyMap<string, string>, order: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const [path, text] of files) {
    const from = roomOf(path)
    if (from === undefined) continue
    for (const { source } of syntaxNodes(text)) {
      if (typeof source?.value !== 'string' || !source.value.startsWith('.')) continue
      const to = roomOf(join(dirname(path), source.value))
      if (to === undefined || to === from || order.indexOf(to) > order.indexOf(from)) continue
      counts.set(`${from} > ${to}`, (counts.get(`${from} > ${to}`) ?? 0) + 1)
    }
  }
  return [...counts].map(([arrow, count]) => `${arrow}: ${count}`).toSorted()
}

/** The rooms of a source tree. */
export function roomsIn(files: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set([...files.keys()].flatMap(path => roomOf(path) ?? []))].toSorted()
}

/** The functions of more than `most` lines, as `store/a.ts: 70` with their number of lines. */
export function longFunctions(files: ReadonlyMap<string, string>, most: number): readonly string[] {
  return [...files].flatMap(([path, text]) =>
    syntaxNodes(text)
      .filter(isFunction)
      .map(({ start, end }) => text.slice(start, end).split('\n').length)
      .filter(lines => lines > most)
      .map(lines => `${path}: ${lines}`),
  )
}

interface PlacedNode extends SyntaxNode {
  readonly start: number
  readonly end: number
}

function isFunction(node: SyntaxNode): node is PlacedNode {
  return (
    (node.type === 'FunctionDeclaration' ||
      node.type === 'FunctionExpression' ||
      node.type === 'ArrowFunctionExpression') &&
    'start' in node
  )
}

/** The lines of the files whose path begins with one of `folders`. */
export function linesOf(files: ReadonlyMap<string, string>, isCounted: (path: string) => boolean): number {
  let lines = 0
  for (const [path, text] of files) if (isCounted(path)) lines += text.split('\n').length - 1
  return lines
}
