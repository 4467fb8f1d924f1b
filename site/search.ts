/**
 * The weight of a section in a search: a guide page explains, the reference only lists. The browser gets the text of this
 * function, so it uses nothing from outside.
 */
export function weightOf(address: string): number {
  return address.includes('/reference/') ? 0.1 : 1
}
