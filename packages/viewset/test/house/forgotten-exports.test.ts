import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgottenExports } from '../../../../scripts/forgotten-exports.ts'

let folder: string
let count = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'viewset-surface-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** What is forgotten of a package with these declarations, whose entries export `names` of them. */
async function forgotten(declarations: string, ...names: readonly string[]): Promise<readonly string[]> {
  const dist = join(folder, String(count++))
  await mkdir(dist)
  await writeFile(join(dist, 'other.d.ts'), 'export interface Other { readonly one: 1 }')
  await writeFile(join(dist, 'inner.d.ts'), `import type { Other as Elsewhere } from './other.ts';\n${declarations}`)
  await writeFile(join(dist, 'index.d.ts'), `export { ${names.join(', ')} } from './inner.ts';`)
  return forgottenExports(dist, ['index.d.ts'])
}

const HIDDEN = 'export interface Hidden { readonly x: number }'

test.each([
  [`export declare function f(of: Hidden): void`],
  [`export declare function f(): Promise<readonly Hidden[]>`],
  [`export declare const f: { readonly of: Hidden | undefined }`],
  [`export declare class f { of(): { [K in 'a']: Hidden } }`],
  [`export interface f { <T extends Hidden>(of: T): T }`],
  [`type Own = { readonly of: Hidden }\nexport type f = Own | null`],
  [`type Of<T> = T extends string ? Hidden : T\nexport type f = Of<string>`],
  [`type Of<T> = T | Hidden\nexport declare const f: Of<Of<string>>`],
  [`interface Base { readonly of: Hidden }\nexport interface f extends Base {}`],
])('a type that nobody can name is found in: %s', async text => {
  expect(await forgotten(`${HIDDEN}\n${text}`, 'f')).toEqual(['Hidden (inner.d.ts), which f mentions'])
  expect(await forgotten(`${HIDDEN}\n${text}`, 'f', 'Hidden')).toEqual([])
})

test('an alias that other files can import is no better', async () => {
  const text = 'export type Own<T> = T | null\nexport declare function f(): Own<string>'
  expect(await forgotten(text, 'f')).toEqual(['Own (inner.d.ts), which f mentions'])
})

test('one of another file is found by its own name', async () => {
  const text = 'export declare function f(of: Elsewhere): void'
  expect(await forgotten(text, 'f')).toEqual(['Other (other.d.ts), which f mentions'])
})

test.each([
  [`export declare function f<Hidden2>(of: Hidden2): Promise<string>`],
  [`declare const names: { readonly a: Hidden }\nexport type f = keyof typeof names`],
  [`import type { Readable } from 'node:stream'\nexport declare function f(of: Readable): void`],
])('nothing is forgotten by: %s', async text => {
  expect(await forgotten(`${HIDDEN}\n${text}`, 'f')).toEqual([])
})
