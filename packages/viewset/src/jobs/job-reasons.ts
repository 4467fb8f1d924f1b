/** Why a job stops before its end. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped'
}

/** Its user wants no more of it. */
export class JobCancelled extends Error {
  override readonly name = 'JobCancelled'
}
