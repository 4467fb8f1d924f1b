import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs `npm install` in a folder, which shows what it does. Returns whether it went well. */
export async function install(folder: string): Promise<boolean> {
  const options = ['install', '--no-audit', '--no-fund', '--loglevel=error']
  // npm is a script on Windows, which needs a shell.
  const npm = spawn('npm', options, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' })
  const [code] = await once(npm, 'exit').catch(() => [1])
  return code === 0
}
