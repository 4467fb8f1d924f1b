/**
 * The weight of a section in a search: a guide page explains, a recipe is about one task, the reference lists. The browser
 * gets the text of this function, so it uses nothing from outside.
 */
export function weightOf(address: string): number {
  if (address.includes('/reference/')) return 0.1
  return address.includes('/cookbook/') ? 0.5 : 1
}
