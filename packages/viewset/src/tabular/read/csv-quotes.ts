const QUOTE = 0x22
const RETURN = 0x0d
const NEWLINE = 0x0a
/** Stands for a quote in the middle of a cell: no file that is read has this character. */
const MARK = '\0'

/**
 * Finds the quotes in the middle of cells that are not in quotes (`5" nail`). They are part of the cell, as spreadsheet
 * programs read them, while the parser knows quotes around cells only.
 */
export class InnerQuotes {
  readonly #delimiter: number
  #state: 'start' | 'cell' | 'quoted' | 'closed' = 'start'

  /** @param delimiter one ASCII character */
  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0)
  }

  /** Marks them in the next bytes of the file. */
  mark(chunk: Buffer): void {
    let state = this.#state
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]
      if (byte === QUOTE) {
        if (state === 'cell') chunk[at] = MARK.charCodeAt(0)
        else state = state === 'quoted' ? 'closed' : 'quoted'
      } else if (state !== 'quoted') {
        state = byte === this.#delimiter || byte === NEWLINE || byte === RETURN ? 'start' : 'cell'
      }
    }
    this.#state = state
  }
}

/** The text of a cell with its marked quotes. */
export function restoreQuotes(text: string): string {
  return text.includes(MARK) ? text.replaceAll(MARK, '"') : text
}
