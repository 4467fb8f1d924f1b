import { dirname, join } from 'node:path/posix'
import { syntaxNodes } from './sources.ts'

/** The folders of src/ in the order of their layers: each imports only from itself and from those before it. */
const layers = [
  'core',
  'tabular',
  'kinds',
  'model',
  'store',
  'records',
  'serializer',
  'query',
  'exporting',
  'importing',
  'jobs',
  'viewset',
  'describe',
  'http',
] as const

/** Above every layer; none knows another. */
const faces = ['fastify', 'fetch', 'node', 'client', 'cli', 'testing'] as const

const order: readonly string[] = [...layers, ...faces]

/** Packages that only some folders may name: whatever else uses them goes through those folders. */
const confined: Record<string, readonly string[]> = {
  pg: ['model', 'store'],
  'better-sqlite3': ['model', 'store'],
  fastify: ['fastify'],
}

/**
 * What breaks the layers in a source tree, one sentence for each breach.
 * `files` holds the text of each file under its path below src/, such as `store/dialect/pg.ts`.
 */
export function layerBreaches(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([path, text]) => {
    const folder = folderOf(path)
    // Files directly in src/ are entry points: they may import anything.
    if (!folder) return []
    if (!order.includes(folder)) return [`${path}: ${folder}/ is not a layer`]
    return importsOf(text).flatMap(specifier => {
      const breach = breachOf(path, folder, specifier)
      return breach ? [`${path} imports '${specifier}': ${breach}`] : []
    })
  })
}

function breachOf(path: string, folder: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) {
    const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
    if (name === 'viewset') return 'use a relative path'
    if (!Object.hasOwn(confined, name)) return
    const allowed = confined[name] ?? []
    return allowed.includes(folder) ? undefined : `only ${allowed.join(' and ')} may`
  }
  const target = join(dirname(path), specifier)
  const targetFolder = folderOf(target)
  if (target.startsWith('..')) return 'it is outside src/'
  if (!targetFolder) return 'entry points are for users'
  if (targetFolder === folder) return
  if (isFace(folder) && isFace(targetFolder)) return 'faces do not know one another'
  if (order.indexOf(targetFolder) > order.indexOf(folder)) return `${targetFolder}/ is above ${folder}/`
}

function isFace(folder: string): boolean {
  return (faces as readonly string[]).includes(folder)
}

function folderOf(path: string): string | undefined {
  return path.includes('/') ? path.split('/')[0] : undefined
}

/** Every module a file names: imports, re-exports, `import()`, `import('...').Type` and `declare module`. */
export function importsOf(text: string): string[] {
  return syntaxNodes(text).flatMap(node => {
    const name = node.source ?? (node.type === 'TSModuleDeclaration' ? node.id : undefined)
    return typeof name?.value === 'string' ? [name.value] : []
  })
}
