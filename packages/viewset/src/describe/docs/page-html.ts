import type { PageFiles } from './page-files.ts'

/** What the page may do: nothing but load its own files and ask its own server. No script stands in the page itself. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Swagger UI's style sheet has its icons in it.
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface PageOptions {
  readonly title: string
  /** How people sign in before the document can tell. */
  readonly securitySchemes: Readonly<Record<string, unknown>>
}

/** The page. All of its links are relative to its address, which ends with a slash. */
export function pageHtml({ styles, library, script }: PageFiles, { title, securitySchemes }: PageOptions): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${html(title)}</title>
    <link rel="icon" href="data:,">
    ${styles.map(({ link }) => `<link rel="stylesheet" href="${link}">`).join('\n    ')}
    <script defer src="${library.link}"></script>
    <script type="module" src="${script.link}"></script>
  </head>
  <body>
    <noscript>This page needs JavaScript. The API is described in <a href="../openapi.json">openapi.json</a>.</noscript>
    <div id="reference" data-security-schemes="${html(JSON.stringify(securitySchemes))}"></div>
  </body>
</html>
`
}

/** Text as it stands in HTML, also within quotes. */
function html(text: string): string {
  return text.replace(/[&<>"]/g, character => `&#${character.codePointAt(0)};`)
}
