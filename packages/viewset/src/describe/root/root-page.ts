import { createHash } from 'node:crypto'
import { type MessageName, message } from '../../core/messages/message.ts'
import { html } from '../html.ts'

/** A list on the page. Links are relative to the address of the page. */
export interface ListedResource {
  readonly label: string
  readonly description: string | undefined
  /** Below the start of the API. */
  readonly path: string
  readonly link: string
  /** `undefined` if the list has no cheap and exact count. */
  readonly count: number | undefined
}

export interface RootPage {
  /** The tag of its language (BCP 47). */
  readonly language: string
  readonly title: string
  readonly version: string | undefined
  readonly description: string | undefined
  readonly links: readonly { readonly text: string; readonly link: string }[]
  readonly resources: readonly ListedResource[]
  /** Whether the API has users and this request has none. */
  readonly isAnonymous: boolean
}

/** The messages of the page that have no parameters. */
export type PageText = Exclude<Extract<MessageName, `root.${string}`>, 'root.records'>

const STYLE = `
:root { color-scheme: light dark; --page: #f5f6f8; --card: #fff; --line: #dde1e6; --text: #1b1f24; --quiet: #58626e; --link: #0b5cad; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14171b; --card: #1d2127; --line: #323943; --text: #e7eaee; --quiet: #a3adb9; --link: #86bdf7; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
.page { max-width: 46rem; margin: 0 auto; padding: 3rem 1.25rem; }
h1 { margin: 0; font-size: 2rem; line-height: 1.2; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.125rem; }
p { margin: .5rem 0 0; }
a { color: var(--link); }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
small, .quiet { color: var(--quiet); }
h1 small { font-size: 1rem; font-weight: 400; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-top: 1rem; }
ul { margin: 0; padding: 0; list-style: none; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
li { display: grid; grid-template-columns: 1fr auto; gap: 0 1rem; padding: .75rem 1rem; }
li + li { border-top: 1px solid var(--line); }
li a { font-weight: 600; text-decoration: none; }
li a:hover { text-decoration: underline; }
.count { font-variant-numeric: tabular-nums; white-space: nowrap; }
.about { grid-column: 1 / -1; margin: 0; font-size: .9375rem; }
code { font: .875em ui-monospace, monospace; }
footer { margin-top: 2.5rem; font-size: .875rem; }
`

/** The page loads nothing and runs nothing. Its style is known by its hash. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The page of an API's root for browsers. */
export function rootPageHtml({
  language,
  title,
  version,
  description,
  links,
  resources,
  isAnonymous,
}: RootPage): string {
  const about = description === undefined ? '' : `<p>${html(description)}</p>`
  const hint = `<p class="quiet">${text(isAnonymous ? 'root.anonymous' : 'root.allowed')}</p>`
  const list =
    resources.length > 0 ? `<ul>\n${resources.map(itemHtml).join('\n')}\n</ul>` : `<p>${text('root.no_resources')}</p>`
  return `<!doctype html>
<html lang="${html(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${html(title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<div class="page">
<header>
<h1>${html(title)}${version === undefined ? '' : ` <small>${html(version)}</small>`}</h1>
${about}
${navHtml(links)}
</header>
<main>
<h2>${text('root.resources')}</h2>
${list}
${hint}
</main>
<footer class="quiet">${text('root.json')} <code>Accept: application/json</code></footer>
</div>
</body>
</html>
`
}

function navHtml(links: RootPage['links']): string {
  if (links.length === 0) return ''
  return `<nav aria-label="${text('root.descriptions')}">${links.map(({ text, link }) => `<a href="${html(link)}">${html(text)}</a>`).join(' ')}</nav>`
}

/** A message of the page in the client's language. */
function text(name: PageText): string {
  return html(String(message(name)))
}

function itemHtml({ label, description, path, link, count }: ListedResource): string {
  const number =
    count === undefined
      ? ''
      : `<span class="count quiet">${html(String(message('root.records', { records: count })))}</span>`
  const about = description === undefined ? '' : `<p class="about quiet">${html(description)}</p>`
  return `<li><a href="${html(link)}">${html(label)}</a>${number}<code class="about quiet">${html(path)}</code>${about}</li>`
}
