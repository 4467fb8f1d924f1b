const OF_A_JOB = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/(upload|result|failed)$/

/** The name of a file among those of all jobs. */
export function jobFileKey(id: string, part: 'upload' | 'result' | 'failed'): string {
  return `${id}/${part}`
}

/** The job that a file is of, and whether it is an upload; `undefined` for what others keep in the same place. */
export function jobOfFile(key: string): { readonly id: string; readonly isUpload: boolean } | undefined {
  const [, id, part] = OF_A_JOB.exec(key) ?? []
  return id === undefined ? undefined : { id, isUpload: part === 'upload' }
}

/** Whether a key is that of a file which the job has made. */
export function isResultOf(id: string, key: unknown): boolean {
  return key === jobFileKey(id, 'result') || key === jobFileKey(id, 'failed')
}
