/** A part of the report that cannot be measured on this machine. The message is the reason, without a full stop. */
export class LeftOut extends Error {
  override readonly name = 'LeftOut'
}

/** CPU time and memory of other processes are read from /proc. */
export function needLinux(): void {
  if (process.platform !== 'linux') throw new LeftOut('left out: it needs Linux')
}
