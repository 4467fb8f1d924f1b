/** The pictures that `npm run pictures` makes, as they lie in docs/assets. */
export const PICTURES = [
  'workbook.webp',
  'pdf.webp',
  'failed-rows.webp',
  'reference-page.webp',
  'reference-page-list.webp',
] as const

export type Picture = (typeof PICTURES)[number]
