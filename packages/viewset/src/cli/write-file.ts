import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CliError } from './cli-error.ts'

export interface OutputOptions {
  readonly force: boolean
  readonly cwd: string
}

/** Writes a command's file. @returns its path @throws CliError */
export async function writeFile(content: Readable, output: string, { force, cwd }: OutputOptions): Promise<string> {
  const path = resolve(cwd, output)
  await pipeline(content, createWriteStream(path, { flags: force ? 'w' : 'wx' })).catch(error => refuse(path, error))
  return path
}

function refuse(path: string, error: NodeJS.ErrnoException): never {
  if (error.code === 'EEXIST') throw new CliError(`${path} exists already; give another --output, or --force.`)
  if (error.code === 'ENOENT') throw new CliError(`${path} cannot be written: its folder does not exist.`)
  throw new CliError(`${path} cannot be written: ${error.message}`, 1, error)
}
