/** Escapes text for HTML, also within quotes. */
export function html(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.codePointAt(0)};`)
}
