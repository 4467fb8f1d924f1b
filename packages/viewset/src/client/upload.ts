import { countedBody } from './counted-body.ts'
import type { Ask } from './send.ts'
import type { OnProgress, Upload, UploadForm } from './upload-form.ts'
import { hasXhr, xhrWithProgress } from './xhr.ts'

/** How a form is to be sent. */
export interface UploadOptions {
  readonly ask: Ask | undefined
  readonly onProgress: OnProgress | undefined
  readonly signal: AbortSignal | undefined
}

/**
 * Makes the request that sends a file as multipart/form-data, as the platform can: `fetch` tells no progress, so a browser
 * uses `XMLHttpRequest` for it, unless `ask` is the application's own; elsewhere, the bytes are counted on their way.
 */
export async function uploadRequest(
  file: Upload,
  fields: UploadForm['fields'],
  { ask, onProgress, signal }: UploadOptions,
): Promise<{ readonly ask: Ask; readonly init: RequestInit }> {
  const { name = 'file', content } =
    file instanceof Blob ? { name: file instanceof File ? file.name : undefined, content: file } : file
  // Node's fetch stumbles over a form whose answer comes before its end; a stream it can leave.
  if (!hasXhr()) {
    return { ask: ask ?? fetch, init: countedBody({ name, content, fields }, onProgress, signal) }
  }
  const body = new FormData()
  for (const [field, value] of Object.entries(fields)) body.append(field, value)
  body.append('file', content instanceof Blob ? content : await new Response(content).blob(), name)
  return { ask: ask ?? (onProgress ? xhrWithProgress(onProgress) : fetch), init: { body } }
}
