/**
 * A name in the letters that any language takes: `created_by` -> `CreatedBy`, `größen_tabelle` -> `GroEnTabelle`.
 *
 * @returns the empty text where there is no such letter or digit
 */
export function pascalCase(text: string): string {
  const words = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .split(/[^A-Za-z0-9]+/)
  return words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
