// The programs that pictures need, and none of which the repository brings.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

export const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** Says what is missing before anything starts. */
export function checkTools(): void {
  const missing = [
    ...(answers('soffice') ? [] : ['LibreOffice (apt-get install libreoffice-calc)']),
    ...(answers('pdftocairo') ? [] : ['pdftocairo (apt-get install poppler-utils)']),
    ...(existsSync(CHROMIUM) ? [] : [`Chromium at ${CHROMIUM} (apt-get install chromium, or set CHROMIUM_PATH)`]),
  ]
  if (missing.length > 0) throw new Error(`Pictures need these programs, which are missing: ${missing.join('; ')}.`)
}

function answers(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** LibreOffice converts a file into the folder that the file is in. */
export function convert(file: string, format: string): string {
  const folder = join(file, '..')
  // A profile of its own: another LibreOffice of this user may run.
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'libreoffice'))}`
  const options = ['--headless', profile, '--convert-to', format, '--outdir', folder, file]
  execFileSync('soffice', options, { stdio: 'ignore' })
  const result = join(folder, `${basename(file, extname(file))}.${format}`)
  if (!existsSync(result)) throw new Error(`LibreOffice has not converted ${file} to ${format}.`)
  return result
}

/** The first page of a PDF as SVG. */
export function firstPage(pdf: string): string {
  return execFileSync('pdftocairo', ['-svg', '-f', '1', '-l', '1', pdf, '-'], {
    encoding: 'utf8',
    maxBuffer: 50 * 1024 ** 2,
  })
}
