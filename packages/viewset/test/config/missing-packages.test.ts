import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const packageRoot = join(import.meta.dirname, '../..')
const modules = join(packageRoot, '../../node_modules')
const MISSING = ['pdfkit', 'dejavu-fonts-ttf']
let folder: string

/** A copy of the package among all packages that it knows but the optional ones for files. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'viewset-missing-'))
  await cp(join(packageRoot, 'src'), join(folder, 'src'), { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  for (const name of await readdir(modules)) {
    if (name.startsWith('.') || MISSING.includes(name)) continue
    const path = join(folder, 'node_modules', name)
    await mkdir(dirname(path), { recursive: true })
    await symlink(join(modules, name), path)
  }
})
afterAll(() => rm(folder, { recursive: true }))

const START = `
  import { AllowAny, BaseModelSerializer, ImportableViewSet, ReadOnlyViewSet, importModel } from './src/index.ts'
  import { kit } from './src/sqlite.ts'
  const tags = kit.table('tags', { id: kit.integer().primaryKey(), label: kit.text().notNull() })
  const models = { tags: importModel({ model: tags, fields: ['id', 'label'], uniqueFields: ['id'] }) }
  const common = { model: tags, serializer: BaseModelSerializer(tags, { fields: ['id'] }), permissionClasses: [AllowAny] }
  const imports = fileFormat => ImportableViewSet({ ...common, importFileConfig: { fileFormat, order: ['tags'], models } })
  const exports = settings => ReadOnlyViewSet({ ...common, ...settings })
  const cases = [
    () => imports(['csv', 'xlsx', 'xls']),
    () => exports({ exportFormats: ['csv', 'pdf'] }),
    () => exports({ exportFormats: ['pdf'], pdfOptions: { font: 'own.ttf' } }),
    () => exports({ exportFormats: ['csv', 'xlsx'] }),
    () => exports({}),
  ]
  console.log(JSON.stringify(cases.map(start => {
    try {
      start()
      return 'starts'
    } catch (error) {
      return error.name + ' ' + error.message
    }
  })))`

test('a format that a resource names and whose package is missing stops the start, with the line that installs it', async () => {
  const start = join(folder, 'start.js')
  await writeFile(start, START)
  const { stdout } = await promisify(execFile)(process.execPath, [start], { cwd: folder })
  const pdf = 'exportFormats: "pdf" needs packages that are not installed: npm install pdfkit'
  expect(JSON.parse(stdout)).toEqual([
    'starts',
    `ConfigError resource of "tags": ${pdf} dejavu-fonts-ttf`,
    `ConfigError resource of "tags": ${pdf}`,
    'starts',
    // Nobody asked for PDF here: it is not offered.
    'starts',
  ])
})
