import { momentOfWrite } from '../../core/clock.ts'
import type { ColumnKit } from '../kit.ts'

type ImportMappingTableKit = Pick<ColumnKit, 'table' | 'text' | 'json' | 'timestamp' | 'index'>

/** The table of saved mappings of imports. It belongs to the application and its migrations. */
export function importMappingTables(c: ImportMappingTableKit) {
  const importMappings = c.table(
    'viewset_import_mappings',
    {
      /** SHA-256 of the resource, the tenant, the user, the headers and the name. */
      id: c.text(64).primaryKey(),
      resource: c.text().notNull(),
      /** The fixed values of the resource's records, such as the tenant, as JSON. */
      tenant: c.text().notNull(),
      /** The user's id as text; null for a mapping of all users. */
      owner: c.text(),
      name: c.text(100).notNull(),
      /** SHA-256 of the headers. */
      fingerprint: c.text(64).notNull(),
      /** What the client has chosen, by the names of the form's parts. */
      choice: c.json().$type<object>().notNull(),
      savedAt: c.timestamp().notNull().$defaultFn(momentOfWrite),
    },
    mapping => [c.index(mapping.fingerprint), c.index(mapping.resource, mapping.owner)],
  )
  return { importMappings }
}

/** The table of `ImportMappingTable()`. */
export type ImportMappingTables = ReturnType<typeof importMappingTables>
