/** Where a position is, for a person: `line 3, column 14`. */
export function placeIn(text: string, at: number): string {
  const before = text.slice(0, at)
  return `line ${before.split('\n').length}, column ${at - before.lastIndexOf('\n')}`
}
