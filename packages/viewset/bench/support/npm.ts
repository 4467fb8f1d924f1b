import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { LeftOut } from './left-out.ts'

const PACKAGE = join(import.meta.dirname, '../..')

/** Installs packages in a folder. @throws LeftOut if npm cannot get them. */
export function install(folder: string, ...args: string[]): void {
  try {
    npm(folder, ...args, '--ignore-scripts')
  } catch {
    throw new LeftOut('left out: npm cannot install its packages, see above')
  }
}

/** Packs this package as it would be published. Returns the file's name in the folder. */
export function packViewset(folder: string): string {
  const packed = npm(PACKAGE, 'pack', '--json', '--pack-destination', folder)
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }]
  return `./${filename}`
}

function npm(cwd: string, ...args: string[]): string {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  return execFileSync('npm', [...args, ...quiet], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}
