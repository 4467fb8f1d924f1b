import { join } from 'node:path'
import { type DefaultTheme, defineConfig, type MarkdownOptions, type Plugin } from 'vitepress'
import { anchorOf } from '../anchors.ts'
import { pagesOf, readContents, type Section } from '../contents.ts'
import { linkOnSite, pathOnSite } from '../links.ts'
import { base, description, repository } from '../settings.ts'

const contents = readContents()

/** Finds Vue for the pages, which lie beside this folder and its packages. */
const vueOfTheSite: Plugin = {
  name: 'vue-of-the-site',
  enforce: 'pre',
  resolveId(id, _importer, { ssr }) {
    if (!/^vue(\/|$)/.test(id)) return undefined
    // What renders the pages loads it as it is.
    if (ssr) return { id, external: true }
    return this.resolve(id, join(import.meta.dirname, 'config.ts'), { skipSelf: true })
  },
}

export default defineConfig({
  title: 'Viewset',
  description,
  base,
  lang: 'en',
  // The pages stay where GitHub shows them; the home page stands beside this configuration.
  srcDir: '..',
  srcExclude: ['!(docs|site)/**', '*.md'],
  rewrites: path => (path === 'site/index.md' ? 'index.md' : pathOnSite(path.replace(/^docs\//, ''))),
  outDir: 'dist',
  cacheDir: '.vitepress/cache',
  metaChunk: true,
  head: [['link', { rel: 'icon', href: `${base}icon.svg`, type: 'image/svg+xml' }]],
  markdown: {
    anchor: { slugify: anchorOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark' },
    config: leadOnSite,
  },
  transformPageData(page) {
    // These are written from the sources.
    if (page.relativePath.startsWith('reference/')) page.frontmatter.editLink = false
  },
  vite: {
    publicDir: 'site/public',
    plugins: [vueOfTheSite],
  },
  themeConfig: {
    nav: contents.map(toNav),
    sidebar: contents.map(toSidebar),
    outline: { level: [2, 3] },
    search: { provider: 'local' },
    notFound: {
      title: 'There is no such page',
      quote: 'Search for it, or begin at the front page.',
      linkText: 'To the front page',
    },
    ...(repository && {
      editLink: { pattern: `${repository}/edit/main/:path`, text: 'Edit this page' },
      socialLinks: [{ icon: 'github', link: repository }],
    }),
  },
})

function addressOf(path: string): string {
  return `/${pathOnSite(path)
    .replace(/index\.md$/, '')
    .replace(/\.md$/, '')}`
}

function toNav(section: Section): DefaultTheme.NavItem {
  const addresses = pagesOf([section]).map(({ path }) => addressOf(path))
  return { text: section.title, link: addresses[0] ?? '/', activeMatch: `^(${addresses.join('|')})$` }
}

function toSidebar({ title, entries, sections }: Section): DefaultTheme.SidebarItem {
  const pages = entries.map(entry => ({ text: entry.title, link: addressOf(entry.path) }))
  return { text: title, items: [...pages, ...sections.map(toSidebar)] }
}

/** Pages link to files, as on GitHub; here those links lead to pages of the site. */
function leadOnSite(markdown: Parameters<NonNullable<MarkdownOptions['config']>>[0]): void {
  markdown.core.ruler.push('links-on-site', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.attrGet('href')
      if (token.type !== 'link_open' || href === null) continue
      token.attrSet('href', linkOnSite(decodeURI(href), env.path) ?? '')
    }
  })
}
