import * as z from 'zod'

// The response of `GET {prefix}/schema/`. Consoles and clients depend on it: keys may be added, but never removed or
// changed. Schemas are created on demand, because loading Zod takes time.

const schema = () => z.record(z.string(), z.unknown())

const RelationSchema = () =>
  z.object({
    /** The resource of the related records; null if the user may not list one. */
    resource: z.string().nullable(),
    /** The field that identifies a related record. */
    key: z.string(),
    many: z.boolean(),
    /** The form of a related record in responses. */
    read: z.enum(['id', 'data', 'str', 'custom']),
    /** The form of a related record in requests; null if it cannot be written. */
    write: z.enum(['id', 'data', 'str', 'flexible']).nullable(),
    /** The display field of a related record, if any. */
    str: z.string().nullable(),
  })

const FieldSchema = () =>
  z.object({
    name: z.string(),
    label: z.string(),
    /** The kind of its values; null for a computed value. */
    kind: z.string().nullable(),
    nullable: z.boolean(),
    /** Whether responses have it. */
    readable: z.boolean(),
    /** Whether requests may have it. */
    writable: z.boolean(),
    /** Whether a create requires it. */
    required: z.boolean(),
    /** JSON Schema for requests; null if it cannot be written. */
    input: schema().nullable(),
    /** JSON Schema for responses; null if it is not shown. */
    output: schema().nullable(),
    relation: RelationSchema().nullable(),
  })

const ActionSchema = () =>
  z.object({
    name: z.string(),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    /** Below the API's prefix; `{id}` is the record's key. */
    path: z.string(),
    /** Whether it is about one record. */
    detail: z.boolean(),
    /** Whether the resource declares it itself. */
    custom: z.boolean(),
    summary: z.string(),
    deprecated: z.boolean(),
    /** JSON Schema of a custom action's body; null without one. */
    input: schema().nullable(),
  })

const ParameterSchema = () =>
  z.object({
    name: z.string(),
    purpose: z.enum(['filter', 'search', 'ordering', 'page']),
    /** The field or path of a filter. */
    field: z.string().nullable(),
    lookup: z.string().nullable(),
    /** Whether a request without it is rejected. */
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
    /** The columns of a file by default. */
    standard: z.array(z.string()),
  })

const ImportSchema = () =>
  z.object({
    formats: z.array(z.string()),
    /** Formats of the template. */
    template_formats: z.array(z.string()),
    /** In the order of writing. */
    models: z.array(
      z.object({
        /** The name of its sheet. */
        name: z.string(),
        /** `required`: an empty cell is an error. */
        columns: z.array(z.object({ header: z.string(), field: z.string(), required: z.boolean() })),
        /** The fields by which a row finds its record. */
        unique_fields: z.array(z.string()),
      }),
    ),
  })

const ResourceSchema = () =>
  z.object({
    name: z.string(),
    /** Below the API's prefix. */
    path: z.string(),
    label: z.string(),
    description: z.string(),
    /** The field that identifies a record. */
    key: z.string(),
    /** The field that names a record in paths. */
    lookup: z.string(),
    /** Whether records are soft-deleted and can be restored. */
    soft_deletes: z.boolean(),
    /** The actions that the user may call. */
    actions: z.array(ActionSchema()),
    fields: z.array(FieldSchema()),
    /** The query parameters of the list; empty if the user may not list. */
    query: z.array(ParameterSchema()),
    /** Null if the user may not export. */
    export: ExportSchema().nullable(),
    /** Null if the user may not import. */
    import: ImportSchema().nullable(),
  })

/** The schema of an API for one user. */
export const ApiSchema = () =>
  z
    .object({
      user: z.object({ id: z.union([z.string(), z.number()]), roles: z.array(z.string()) }).nullable(),
      limits: z.object({
        /** Default limit of items in a bulk request. */
        bulk_items: z.int(),
        /** Bytes. */
        import_file_size: z.int(),
        export_data_rows: z.int(),
        export_pdf_rows: z.int(),
        /** The zone of datetimes without an offset. */
        time_zone: z.string(),
      }),
      resources: z.array(ResourceSchema().meta({ title: 'ResourceSchema' })),
    })
    .meta({ title: 'ApiSchema' })

/** The response of `GET {prefix}/schema/`: what the current user may do, and how. */
export type ApiSchema = z.infer<ReturnType<typeof ApiSchema>>
/** The part of a resource that the user may use. */
export type ResourceSchema = z.infer<ReturnType<typeof ResourceSchema>>
/** A field of a record, in responses and requests. */
export type FieldSchema = z.infer<ReturnType<typeof FieldSchema>>
/** An action that the user may call. */
export type ActionSchema = z.infer<ReturnType<typeof ActionSchema>>
/** A query parameter of a list. */
export type ParameterSchema = z.infer<ReturnType<typeof ParameterSchema>>
/** The files of an export. */
export type ExportSchema = z.infer<ReturnType<typeof ExportSchema>>
/** The files of an import. */
export type ImportSchema = z.infer<ReturnType<typeof ImportSchema>>
