import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// How long does the compiler take for a project of 100 resources? `npm run build && npm run bench:types`: a project sees
// the declarations of the package, not its sources.

const RESOURCES = 100
const root = join(import.meta.dirname, '../../..')
const compiler = join(root, 'node_modules/typescript/bin/tsc')

const IMPORTS = `import { sql } from 'drizzle-orm'
import { AllowAny, BaseModelSerializer, BulkImportableViewSet, type ColumnKit, IdToDataField, importModel, type SerializerInput } from 'viewset'
declare const c: ColumnKit
const parents = c.table('parents', { ...c.BaseModelMixin(), name: c.text(200).notNull() })
const ParentReference = BaseModelSerializer(parents, { fields: ['id', 'name'] })
`

/** A resource as people write them: a relation, filters, a computed ordering, an export, an import, a hook. */
const resource = (n: number) => `
const table${n} = c.table('table${n}', {
  ...c.BaseModelMixin(), ...c.SoftDeleteMixin(),
  name: c.text(200).notNull(), amount: c.decimal(10, 2), parent: c.foreignKey(parents).notNull(), day: c.date(),
})
const Serializer${n} = BaseModelSerializer(table${n}, {
  fields: ['id', 'name', 'amount', 'parent', 'day', 'createdAt'],
  extra: { parent: IdToDataField({ queryset: parents, serializer: ParentReference }) },
})
export class Resource${n} extends BulkImportableViewSet({
  model: table${n}, serializer: Serializer${n}, permissionClasses: [AllowAny],
  filterFields: { amount: ['gte', 'lte'], parent__name: ['exact', 'in'] }, searchFields: ['name'],
  computedOrderingFields: { size: sql\`length(name)\` }, ordering: '-size',
  exportFieldConfig: { name: 'Name', parent__name: 'Parent' },
  importFileConfig: {
    fileFormat: ['csv', 'xlsx'], order: ['rows'],
    models: { rows: importModel({ model: table${n}, fields: ['name', 'amount', 'day'], uniqueFields: ['name'] }) },
  },
}) {
  override async performCreate(values: SerializerInput<typeof Serializer${n}>) {
    return super.performCreate({ ...values, name: values.name?.trim() ?? '' })
  }
}
`

/** Seconds of CPU that the children of this process have used, user and system. */
async function childSeconds(): Promise<number> {
  const fields = (await readFile('/proc/self/stat', 'utf8')).split(') ')[1]?.split(' ') ?? []
  return (Number(fields[13]) + Number(fields[14])) / 100
}

const folder = await mkdtemp(join(tmpdir(), 'viewset-types-'))
try {
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir')
  const options = { strict: true, noEmit: true, module: 'nodenext', target: 'es2023', skipLibCheck: true, types: [] }
  for (const count of [1, RESOURCES]) {
    const source = IMPORTS + Array.from({ length: count }, (_, n) => resource(n)).join('')
    await writeFile(join(folder, 'resources.ts'), source)
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: ['resources.ts'] }),
    )
    const before = await childSeconds()
    execFileSync(process.execPath, [compiler, '-p', folder, '--singleThreaded'], { stdio: 'inherit' })
    console.log(`${count} resources: ${((await childSeconds()) - before).toFixed(2)} s CPU`)
  }
} finally {
  await rm(folder, { recursive: true })
}
