import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as viewset from 'viewset'
import { expect, test } from 'vitest'
import { ACTION_NAMES } from '../../src/viewset/permissions.ts'
import { root } from '../support/snippets.ts'

const actions = Object.values<unknown>(viewset)
  .filter((value): value is viewset.Mixin => typeof value === 'object' && value !== null && 'builtOn' in value)
  .flatMap(({ routes }) => routes.map(({ action }) => action))

test('ActionName has the actions of all mixins, and of jobs the undo', () => {
  expect(ACTION_NAMES.toSorted()).toEqual([...new Set([...actions, 'undo'])].toSorted())
})

test('docs/permissions.md lists them', () => {
  const page = readFileSync(join(root, 'docs/permissions.md'), 'utf8')
  const [, table = ''] = /^\| Actions \|.*\n\|[-|]+\|\n((?:\|.*\n)+)/m.exec(page) ?? []
  const first = table.split('\n').map(line => line.split('|')[1] ?? '')
  const listed = first.flatMap(cell => Array.from(cell.matchAll(/`(\w+)`/g), ([, name]) => name))
  expect(listed.toSorted()).toEqual(ACTION_NAMES.toSorted())
})
