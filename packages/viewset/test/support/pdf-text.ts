import { extractText, getDocumentProxy } from 'unpdf'

/** The text of a PDF, as another library reads it. */
export async function pdfText(bytes: Uint8Array): Promise<string> {
  // drizzle-kit, which makes the tests' tables, leaves this behind; pdf.js refuses to work where it is.
  Reflect.deleteProperty(Array.prototype, 'random')
  // pdf.js keeps the array for itself, and takes no Buffer.
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: true })
  return text
}
