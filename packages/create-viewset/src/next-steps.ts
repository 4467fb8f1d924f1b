import type { Choices } from './choices.ts'

/** The next steps for the user. */
export function nextSteps({ folder, database, install, example }: Choices): string {
  const commands = [
    ...(folder === '.' ? [] : [`cd ${quoted(folder)}`]),
    ...(install ? [] : ['npm install']),
    ...(database === 'postgres' ? ['docker compose up --detach --wait database'] : []),
    'npm start',
  ]
  return `Start it:

${commands.map(command => `  ${command}`).join('\n')}

and ask it from a second terminal:

  curl http://127.0.0.1:3000/api/${example ? 'books/' : ''}

README.md in it tells the rest.`
}

/** Quotes a path for the shell. Windows has no single quotes. */
function quoted(path: string): string {
  if (/^[\w./\\:@-]+$/.test(path)) return path
  return process.platform === 'win32' ? `"${path}"` : `'${path.replaceAll("'", "'\\''")}'`
}
