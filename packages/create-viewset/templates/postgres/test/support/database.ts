import { existsSync } from 'node:fs'

if (existsSync('.env')) process.loadEnvFile()
const { DATABASE_URL } = process.env
if (!DATABASE_URL) throw new Error('DATABASE_URL is missing: the tests make databases of their own on that server.')

/** Tests create their databases on the server of DATABASE_URL, with the tables of production. */
export const testDatabase = { migrations: 'migrations', postgres: DATABASE_URL }
