export const ON_CONFLICT = ['fail', 'yours', 'theirs'] as const

/** What counts for a cell that was changed in an edited file and in the database: neither, the file or the database. */
export type OnConflict = (typeof ON_CONFLICT)[number]
