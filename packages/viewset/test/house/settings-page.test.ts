import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { settingsPage } from '../../../../scripts/settings.ts'
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts'
import { root } from '../support/snippets.ts'

const page = readFileSync(join(root, 'docs/settings-parameters-and-commands.md'), 'utf8')

test('the page of all settings is what `npm run docs:settings` writes', async () => {
  expect(page).toBe(await settingsPage())
})

test('each row of it says what its setting, parameter or option means', () => {
  const rows = page.split('\n').filter(line => /^\| `/.test(line))
  expect(rows.length).toBeGreaterThan(150)
  expect(rows.filter(row => /\| +\|$/.test(row))).toEqual([])
})

test('each setting of an API is on it', () => {
  const names = Object.values(DEFAULT_SETTINGS).flatMap(group => Object.keys(group))
  expect(names.filter(name => !page.includes(`| \`${name}\` |`))).toEqual([])
})
