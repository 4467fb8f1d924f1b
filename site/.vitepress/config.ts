import { type DefaultTheme, defineConfig, type MarkdownOptions } from 'vitepress'
import { anchorOf } from '../anchors.ts'
import { pagesOf, readContents, type Section } from '../contents.ts'
import { linkOnSite, pathOnSite } from '../links.ts'
import { base, description, repository } from '../settings.ts'
import { accessibleTheme, vueOfTheSite } from './plugins.ts'

const contents = readContents()

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
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // Shiki has none for it; this one is near enough.
    languageAlias: { caddyfile: 'nginx' },
    config(markdown) {
      leadOnSite(markdown)
      nameFiles(markdown)
    },
  },
  transformPageData(page) {
    // These are written from the sources.
    if (page.relativePath.startsWith('reference/')) page.frontmatter.editLink = false
  },
  vite: {
    publicDir: 'site/public',
    plugins: [vueOfTheSite, accessibleTheme],
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
      linkLabel: 'To the front page',
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

type Markdown = Parameters<NonNullable<MarkdownOptions['config']>>[0]

/** A block of code that is a file (`file=shop.ts`) has the file's name above it. */
function nameFiles(markdown: Markdown): void {
  const { fence } = markdown.renderer.rules
  markdown.renderer.rules.fence = (tokens, index, ...others) => {
    const block = fence?.(tokens, index, ...others) ?? ''
    const name = /\bfile=(\S+)/.exec(tokens[index]?.info ?? '')?.[1]
    return name === undefined ? block : `<p class="file-name">${markdown.utils.escapeHtml(name)}</p>${block}`
  }
}

/** Pages link to files, as on GitHub; here those links lead to pages of the site, and are text where they lead nowhere. */
function leadOnSite(markdown: Markdown): void {
  markdown.core.ruler.push('links-on-site', ({ tokens, env }) => {
    let tag = 'a'
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type === 'link_open') {
        const address = linkOnSite(decodeURI(token.attrGet('href') ?? ''), env.realPath ?? env.path)
        tag = address === undefined ? 'span' : 'a'
        token.attrs = address === undefined ? [] : [['href', address]]
      }
      if (/^link_(open|close)$/.test(token.type)) token.tag = tag
    }
  })
}
