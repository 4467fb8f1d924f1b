// What the reference page does in the browser: it reads the API's document and hands it to Swagger UI. All addresses
// are relative to the page's own, so that it works at any prefix and behind any path of a proxy.
const api = new URL('..', location.href)
const address = new URL('openapi.json', api).href
const container = document.querySelector('#reference')
const securitySchemes = JSON.parse(container.dataset.securitySchemes)

/** Swagger UI's own dark colours, as the system has it. */
const dark = matchMedia('(prefers-color-scheme: dark)')
const followSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', followSystem)
followSystem()

let isShown = false

const ui = SwaggerUIBundle({
  domNode: container,
  spec: await read({}),
  layout: 'BaseLayout',
  deepLinking: true,
  filter: true,
  displayRequestDuration: true,
  // Without these two, the page asks other hosts.
  validatorUrl: null,
  queryConfigEnabled: false,
  syntaxHighlight: { theme: 'tomorrow-night' },
  plugins: [
    ({ React }) => ({
      statePlugins: { auth: { wrapActions: { authorize: readAgain } } },
      components: {
        // There is only one server.
        ServersContainer: () => null,
        // No link inside of a button; the address in the browser follows what is unfolded all the same.
        DeepLink: ({ text }) => React.createElement('span', null, text),
      },
    }),
  ],
})

/** After signing in, the user may see more operations. */
function readAgain(authorize) {
  return payload => {
    const action = authorize(payload)
    if (!isShown) read(credentials()).then(spec => ui.specActions.updateSpec(JSON.stringify(spec)))
    return action
  }
}

/** The document to show. If it may not be read, a document that says why and lets people sign in. */
async function read(headers) {
  const response = await fetch(address, { headers, cache: 'no-cache' }).catch(() => undefined)
  const body = await response?.json().catch(() => undefined)
  isShown = response?.ok === true && body !== undefined
  document.body.classList.toggle('locked', !isShown)
  if (!isShown) return unavailable(body?.message ?? 'The server cannot be reached.')
  document.title = body.info.title
  for (const operation of Object.values(body.paths).flatMap(Object.values)) showFiles(operation)
  // What is tried out asks the server that the page came from.
  return { ...body, servers: [{ url: api.href.slice(0, -1) }] }
}

/** Without an example, Swagger UI invents one: XML for a workbook, because its media type contains "xml". */
function showFiles({ responses }) {
  for (const { content = {} } of Object.values(responses ?? {})) {
    for (const [type, media] of Object.entries(content)) {
      if (type !== 'application/json') media.example ??= type === 'text/html' ? 'a page' : 'a file'
    }
  }
}

function unavailable(reason) {
  // A description is Markdown, in which `<token>` would be an element.
  const description = `${reason.replaceAll('<', '&lt;')} Choose “Authorize” to sign in.`
  const info = { title: document.title, version: '', description }
  return { openapi: '3.1.0', info, paths: {}, components: { securitySchemes } }
}

/** The headers of the signed-in user, for each scheme that needs only a header. */
function credentials() {
  const signedIn = Object.values(ui.authSelectors.authorized().toJS())
  return Object.fromEntries(
    signedIn.flatMap(({ schema, value }) => {
      if (schema.type === 'apiKey') return schema.in === 'header' ? [[schema.name, value]] : []
      if (schema.scheme === 'basic') return [['authorization', `Basic ${btoa(`${value.username}:${value.password}`)}`]]
      return [['authorization', `Bearer ${value}`]]
    }),
  )
}

/** Adds the labels and roles that Swagger UI lacks, for screen readers and keyboards. */
function complete() {
  for (const row of container.querySelectorAll('[data-param-name], [data-property-name]')) {
    const label = row.dataset.paramName ?? row.dataset.propertyName
    set('input, select, textarea', { 'aria-label': label }, row)
  }
  for (const button of container.querySelectorAll('.json-schema-2020-12-accordion')) {
    if (button.textContent === '') button.setAttribute('aria-label', 'Fields')
  }
  set('.body-param__text', { 'aria-label': 'Request body' })
  set('.close-modal', { 'aria-label': 'Close' })
  set('.auth.authorize', { 'aria-label': 'Authorize' })
  set('.information-container', { role: 'region', 'aria-label': 'About this API' })
  set('.filter-container', { role: 'search' })
  set('.modal-ux', { role: 'dialog', 'aria-modal': 'true', 'aria-label': 'Sign in' })
  // The title is of level 1, and what follows starts at 3.
  for (const level of [3, 4, 5]) set(`h${level}`, { 'aria-level': level - 1 })
  set('.models > h4', { 'aria-level': 2 })
  set('pre.microlight', { tabindex: 0 })
  for (const { id } of container.querySelectorAll('.responses-table[role=region]')) {
    set(`#${CSS.escape(id)}`, { 'aria-label': id.replaceAll('_', ' ') })
  }
}

function set(selector, attributes, parent = container) {
  for (const element of parent.querySelectorAll(selector)) {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  }
}

new MutationObserver(complete).observe(container, { childList: true, subtree: true })
