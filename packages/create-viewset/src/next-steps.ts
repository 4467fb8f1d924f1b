import type { Choices } from './choices.ts'

const ADDRESS = 'http://127.0.0.1:3000/api/'

/** The next steps for the user. */
export function nextSteps({ folder, database, install, example }: Choices): string {
  const commands = [
    ...(folder === '.' ? [] : [`cd ${quoted(folder)}`]),
    ...(install ? [] : ['npm install']),
    ...(database === 'postgres' ? ['docker compose up --detach --wait database'] : []),
    ...(example ? ['npm run seed'] : []),
    'npm start',
  ]
  return `Start it${example ? ', with a few books' : ''}:

${commands.map(command => `  ${command}`).join('\n')}

Then ask it from a second terminal:

  curl "${ADDRESS}${example ? 'books/?search=austen' : ''}"

${ADDRESS}docs/ shows the API in a browser.
README.md has the next steps.`
}

/** Quotes a path for the shell. Windows has no single quotes. */
function quoted(path: string): string {
  if (/^[\w./\\:@-]+$/.test(path)) return path
  return process.platform === 'win32' ? `"${path}"` : `'${path.replaceAll("'", "'\\''")}'`
}
