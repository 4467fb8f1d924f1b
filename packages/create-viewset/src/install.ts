import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs `npm install` in a folder and shows its output. Returns whether it succeeded. */
export async function install(folder: string): Promise<boolean> {
  const options = ['install', '--no-audit', '--no-fund', '--loglevel=error']
  // On Windows, npm is a script, which needs a shell.
  const npm = spawn('npm', options, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' })
  const [code] = await once(npm, 'exit').catch(() => [1])
  return code === 0
}
