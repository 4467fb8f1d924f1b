import { existsSync } from 'node:fs'
import { mkdtemp, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ConnectionSettings, SqliteConnection } from './sqlite-connection.ts'

/** Bytes that a copy leaves free beside itself, for what is written to it and to the database. */
const ROOM = 256 * 1024 ** 2

/** A copy of a database, on a connection of its own; `remove` closes it. */
export interface DatabaseCopy {
  readonly connection: SqliteConnection
  remove(): Promise<void>
}

/**
 * Copies a database as it is, with all that has been committed, while others read and write; `null` where there is no room
 * for a copy, or no `copyTo`. Only SQLite may open the files of a database in use: whoever else closes one gives up all
 * the locks that the process has on it.
 */
export async function copyDatabase(
  path: string,
  settings: ConnectionSettings,
  copyTo: (file: string) => Promise<boolean>,
): Promise<DatabaseCopy | null> {
  if (!(await hasRoom(path))) return null
  const folder = await mkdtemp(`${path}-dry-run-`)
  const removeFolder = () => rm(folder, { recursive: true, force: true })
  try {
    const copy = join(folder, 'copy.db')
    if (!(await copyTo(copy))) {
      await removeFolder()
      return null
    }
    // It is never looked at again, so the disk need not be waited for.
    const connection = SqliteConnection.open(copy, { ...settings, synchronous: 'off' })
    // An open file needs no name, and so leaves nothing behind if the process is killed; Windows keeps it.
    connection.run({ text: 'begin immediate' }, [])
    await removeFolder().catch(() => {})
    const remove = async () => {
      connection.close()
      await removeFolder()
    }
    return { connection, remove }
  } catch (error) {
    await removeFolder()
    throw error
  }
}

async function hasRoom(path: string): Promise<boolean> {
  const sizeOf = async (file: string) => (existsSync(file) ? (await stat(file)).size : 0)
  const { bavail, bsize } = await statfs(dirname(path))
  return bavail * bsize > (await sizeOf(path)) + (await sizeOf(`${path}-wal`)) + ROOM
}
