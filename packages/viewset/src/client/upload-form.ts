/** How much of a request has been sent, in bytes. */
export interface UploadProgress {
  readonly loaded: number
  /** `undefined` where nobody knows, as of a stream. */
  readonly total: number | undefined
}

/** Is told how far an upload is. */
export type OnProgress = (progress: UploadProgress) => void

/** A file to send: a `File`, a `Blob`, or what has a name beside its bytes. */
export type Upload =
  | Blob
  | {
      readonly name: string
      /** A stream is sent as it is read, where the platform can (Node); elsewhere, it is read first. */
      readonly content: UploadContent
    }
/** The bytes of a file that is sent. */
export type UploadContent = Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

/** Parts of a form: a file, and fields before it. */
export interface UploadForm {
  readonly name: string
  readonly content: UploadContent
  readonly fields: Readonly<Record<string, string>>
}
