import * as z from 'zod'

// What `GET {prefix}/schema/` answers. It is an interface that consoles and clients are built on: keys may be added, and
// none is taken away or changes its meaning. Each schema is made when it is asked for, since Zod takes a while to load.

const schema = () => z.record(z.string(), z.unknown())

const RelationSchema = () =>
  z.object({
    /** The resource of the related records, where the user may list one. */
    resource: z.string().nullable(),
    /** The field of a related record that identifies it. */
    key: z.string(),
    many: z.boolean(),
    /** What is shown of a related record. */
    read: z.enum(['id', 'data', 'str', 'custom']),
    /** What is taken for one; null where it cannot be written. */
    write: z.enum(['id', 'data', 'str', 'flexible']).nullable(),
    /** The field that stands for a related record, where one does. */
    str: z.string().nullable(),
  })

const FieldSchema = () =>
  z.object({
    name: z.string(),
    label: z.string(),
    /** The kind of its values; null for what a function computes. */
    kind: z.string().nullable(),
    nullable: z.boolean(),
    /** Whether answers have it. */
    readable: z.boolean(),
    /** Whether it can be sent. */
    writable: z.boolean(),
    /** Whether a new record needs it. */
    required: z.boolean(),
    /** JSON Schema of what can be sent; null where nothing can. */
    input: schema().nullable(),
    /** JSON Schema of what is shown; null where nothing is. */
    output: schema().nullable(),
    relation: RelationSchema().nullable(),
  })

const ActionSchema = () =>
  z.object({
    name: z.string(),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    /** Behind the API's prefix; `{id}` is the record's key. */
    path: z.string(),
    /** Whether it is about one record. */
    detail: z.boolean(),
    /** Whether the resource has declared it itself, beside what its mixins bring. */
    custom: z.boolean(),
    summary: z.string(),
    deprecated: z.boolean(),
    /** JSON Schema of what a custom action takes; null where it takes nothing. */
    input: schema().nullable(),
  })

const ParameterSchema = () =>
  z.object({
    name: z.string(),
    purpose: z.enum(['filter', 'search', 'ordering', 'page']),
    /** The field or path that a filter asks for. */
    field: z.string().nullable(),
    lookup: z.string().nullable(),
    /** Whether a request without it is refused. */
    required: z.boolean(),
    description: z.string(),
    schema: schema(),
  })

const FileColumn = () => z.object({ name: z.string(), header: z.string() })
const ExportSchema = () =>
  z.object({
    formats: z.array(z.string()),
    /** All columns that a file may have. */
    columns: z.array(FileColumn()),
    /** Those of a file for which none are chosen. */
    standard: z.array(z.string()),
  })

const ImportSchema = () =>
  z.object({
    formats: z.array(z.string()),
    /** Formats of the template. */
    template_formats: z.array(z.string()),
    /** In the order in which they are written. */
    models: z.array(
      z.object({
        /** The name of its sheet. */
        name: z.string(),
        /** `required`: an empty cell is an error. */
        columns: z.array(z.object({ header: z.string(), field: z.string(), required: z.boolean() })),
        /** The fields by which a row finds the record that it updates. */
        unique_fields: z.array(z.string()),
      }),
    ),
  })

const ResourceSchema = () =>
  z.object({
    name: z.string(),
    /** Behind the API's prefix. */
    path: z.string(),
    label: z.string(),
    description: z.string(),
    /** The field that identifies a record. */
    key: z.string(),
    /** Whether its records are marked as deleted and can be restored. */
    soft_deletes: z.boolean(),
    /** What the user may do. */
    actions: z.array(ActionSchema()),
    fields: z.array(FieldSchema()),
    /** What a list can be asked for; none where the user may not list. */
    query: z.array(ParameterSchema()),
    /** Null where the user may not export. */
    export: ExportSchema().nullable(),
    /** Null where the user may not import. */
    import: ImportSchema().nullable(),
  })

/** The schema of an API for one user. */
export const ApiSchema = () =>
  z
    .object({
      user: z.object({ id: z.union([z.string(), z.number()]), roles: z.array(z.string()) }).nullable(),
      limits: z.object({
        /** Most items of a bulk request, where a resource says nothing else. */
        bulk_items: z.int(),
        /** Bytes. */
        import_file_size: z.int(),
        export_data_rows: z.int(),
        export_pdf_rows: z.int(),
        /** Where a datetime without an offset is read. */
        time_zone: z.string(),
      }),
      resources: z.array(ResourceSchema().meta({ title: 'ResourceSchema' })),
    })
    .meta({ title: 'ApiSchema' })

/** What `GET {prefix}/schema/` answers: what the current user may do, and how. */
export type ApiSchema = z.infer<ReturnType<typeof ApiSchema>>
/** A resource as the user may use it. */
export type ResourceSchema = z.infer<ReturnType<typeof ResourceSchema>>
/** A field of a record: what is shown of it, and what can be sent. */
export type FieldSchema = z.infer<ReturnType<typeof FieldSchema>>
/** An action that the user may take. */
export type ActionSchema = z.infer<ReturnType<typeof ActionSchema>>
/** A query parameter of a list. */
export type ParameterSchema = z.infer<ReturnType<typeof ParameterSchema>>
/** What files an export makes. */
export type ExportSchema = z.infer<ReturnType<typeof ExportSchema>>
/** What files an import takes. */
export type ImportSchema = z.infer<ReturnType<typeof ImportSchema>>
