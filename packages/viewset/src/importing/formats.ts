/** The formats of files that can be imported. */
export type ImportFormat = 'csv' | 'xls' | 'xlsx'

export const IMPORT_FORMATS: readonly ImportFormat[] = ['csv', 'xls', 'xlsx']
