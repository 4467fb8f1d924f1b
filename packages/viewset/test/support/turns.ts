/** How often the event loop goes round while `work` is done: each time is a turn for others. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let next = setImmediate(function turn() {
    turns++
    next = setImmediate(turn)
  })
  try {
    await work()
  } finally {
    clearImmediate(next)
  }
  return turns
}
