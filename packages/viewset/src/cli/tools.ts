import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CliError } from './cli-error.ts'
import type { ParsedArguments } from './options.ts'

export interface CommandLine extends ParsedArguments {
  readonly cwd: string
}

/** A command of `viewset-tools`. @returns the text to print */
export type Tool = (line: CommandLine) => Promise<string>

export interface Tools {
  readonly add: Tool
  readonly 'index-advice': Tool
  readonly inspect: Tool
  readonly 'search-index': Tool
}

const PACKAGE = 'viewset-tools'

/** Runs a command of `viewset-tools`. @throws CliError if the package is not installed */
export async function runTool(name: keyof Tools, line: CommandLine): Promise<string> {
  const path = find(join(line.cwd, 'package.json')) ?? find(import.meta.url)
  if (path === undefined) {
    throw new CliError(`viewset ${name} needs the package ${PACKAGE}: npm install --save-dev ${PACKAGE}`)
  }
  const { tools }: { readonly tools: Tools } = await import(pathToFileURL(path).href)
  return tools[name](line)
}

/** The project has the package. If `viewset` runs from elsewhere, the package may stand beside it. */
function find(from: string): string | undefined {
  try {
    return createRequire(from).resolve(PACKAGE)
  } catch {
    return undefined
  }
}
