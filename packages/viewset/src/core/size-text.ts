const MEGABYTE = 1024 ** 2

/** A number of bytes as people say it: `1.5 MB`, and bytes below that. */
export function sizeText(bytes: number): string {
  return bytes >= MEGABYTE ? `${Number((bytes / MEGABYTE).toFixed(1))} MB` : `${bytes} bytes`
}
