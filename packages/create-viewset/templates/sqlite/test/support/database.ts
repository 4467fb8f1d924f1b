/** Tests create a temporary SQLite file, with the tables of production. */
export const testDatabase = { migrations: 'migrations' }
