import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { install, packViewset } from '../support/npm.ts'

const HERE = import.meta.dirname

/**
 * A folder outside of the repository with the peers' packages, which are none of its dependencies, and with this
 * package as it would be published. The packages are installed once for each lock file.
 */
export function installPeers(): string {
  const lock = readFileSync(join(HERE, 'package-lock.json'))
  const folder = join(tmpdir(), `viewset-bench-peers-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`)
  const done = join(folder, 'installed')
  if (!existsSync(done)) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    for (const name of ['package.json', 'package-lock.json', '.npmrc']) cpSync(join(HERE, name), join(folder, name))
    install(folder, 'ci', '--legacy-peer-deps')
    writeFileSync(done, '')
  }
  cpSync(join(HERE, 'apps'), folder, { recursive: true })
  install(folder, 'install', '--no-save', '--no-package-lock', '--legacy-peer-deps', packViewset(folder))
  execFileSync(process.execPath, [join(folder, 'node_modules/typescript/bin/tsc'), '-p', folder], { stdio: 'inherit' })
  return folder
}
