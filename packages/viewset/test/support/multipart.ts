const BOUNDARY = 'viewset-test-boundary'

/** A part of a form: a field, or a file. */
export type Part =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly filename: string; readonly content: string | Uint8Array }

/** A request's options with a form as its body. */
export interface Form {
  readonly payload: Buffer
  readonly headers: { readonly 'content-type': string }
}

export function form(...parts: readonly Part[]): Form {
  return { payload: formBytes(parts), headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` } }
}

export interface ImportFormOptions {
  readonly append?: boolean
  readonly dryRun?: boolean
  readonly filename?: string
  /** Further fields of the form. */
  readonly more?: Readonly<Record<string, string>>
}

/** The form of an import, as most tests send it. */
export function importForm(
  content: string | Uint8Array,
  { append = true, dryRun, filename = 'rows.csv', more = {} }: ImportFormOptions = {},
): Form {
  return form(
    { name: 'file', filename, content },
    { name: 'append_data', value: String(append) },
    ...(dryRun === undefined ? [] : [{ name: 'dry_run', value: String(dryRun) }]),
    ...Object.entries(more).map(([name, value]) => ({ name, value })),
  )
}

function formBytes(parts: readonly Part[]): Buffer {
  const chunks = parts.flatMap(part => {
    const isFile = 'filename' in part
    const filename = isFile ? `; filename="${part.filename}"\r\nContent-Type: application/octet-stream` : ''
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${part.name}"${filename}\r\n\r\n`
    return [Buffer.from(head), Buffer.from(isFile ? part.content : part.value), Buffer.from('\r\n')]
  })
  return Buffer.concat([...chunks, Buffer.from(`--${BOUNDARY}--\r\n`)])
}
