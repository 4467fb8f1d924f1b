import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DefaultTheme, defineConfig, type HeadConfig, type MarkdownOptions } from 'vitepress'
import { anchorOf } from '../anchors.ts'
import { DOCS, keywordsIn, pagesOf, readContents, type Section, titleOf } from '../contents.ts'
import { linkOnSite, pathOnSite } from '../links.ts'
import { searchOptions } from '../search.ts'
import { base, description, host, repository } from '../settings.ts'
import { accessibleTheme, vueOfTheSite } from './plugins.ts'

/** The page that lists all others. */
const CONTENTS = 'README.md'
const contents = readContents()

/** The picture of the cards that chats show for a link, of `docs/assets`. */
const CARD = 'failed-rows.webp'

const keywords = readKeywords()

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
  transformHead({ title, description: about, pageData }) {
    const address = host + base
    const card = {
      'og:type': 'website',
      'og:title': title,
      'og:description': about,
      'og:url': address + pageData.relativePath.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '.html'),
      'og:image': address + CARD,
    }
    return [
      ...Object.entries(card).map(([property, content]): HeadConfig => ['meta', { property, content }]),
      ['meta', { name: 'twitter:card', content: 'summary_large_image' }],
    ]
  },
  buildEnd({ outDir }) {
    copyFileSync(join(DOCS, 'assets', CARD), join(outDir, CARD))
  },
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
    // Its tables have a column for each project.
    if (page.relativePath === 'comparison.md') Object.assign(page.frontmatter, { aside: false, pageClass: 'wide' })
  },
  vite: {
    publicDir: 'site/public',
    plugins: [vueOfTheSite, accessibleTheme],
  },
  themeConfig: {
    nav: navigation(),
    sidebar: contents.map((section, index) => toSidebar(section, index > 0)),
    outline: { level: [2, 3] },
    search: {
      provider: 'local',
      options: { miniSearch: searchOptions(address => keywords.get(address) ?? '') },
    },
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

/** The keywords of pages by the address of their first section, as the index of the search has it. */
function readKeywords(): ReadonlyMap<string, string> {
  const pages = pagesOf(contents).map(({ path }) => ({ path, text: readFileSync(join(DOCS, path), 'utf8') }))
  return new Map(
    pages.map(({ path, text }) => {
      const page = `${addressOf(path)}${path.endsWith('README.md') ? '' : '.html'}`
      return [`${base.slice(0, -1)}${page}#${anchorOf(titleOf(text))}`, keywordsIn(text)]
    }),
  )
}

function addressOf(path: string): string {
  return `/${pathOnSite(path)
    .replace(/index\.md$/, '')
    .replace(/\.md$/, '')}`
}

/** The first pages, all pages of the guide, the recipes and the reference. */
function navigation(): DefaultTheme.NavItem[] {
  const isApart = ({ title }: Section) => ['Cookbook', 'Reference'].includes(title)
  const guide = contents.filter(section => !isApart(section))
  const contentsPage = { title: 'Documentation', entries: [{ title: 'Documentation', path: CONTENTS }], sections: [] }
  return [
    { text: 'Documentation', link: addressOf(CONTENTS), activeMatch: matching([contentsPage, ...guide]) },
    ...contents.filter(isApart).map(section => {
      const [first] = section.entries
      return { text: section.title, link: addressOf(first?.path ?? CONTENTS), activeMatch: matching([section]) }
    }),
  ]
}

function matching(sections: readonly Section[]): string {
  const paths = pagesOf(sections).map(({ path }) => addressOf(path))
  return `^(${paths.join('|')})$`
}

/** A group of pages, which unfolds for the page that is shown. */
function toSidebar({ title, entries, sections }: Section, collapsed: boolean): DefaultTheme.SidebarItem {
  const pages = entries.map(entry => ({
    text: entry.title,
    link: addressOf(entry.path),
    docFooterText: `${title}: ${entry.title}`,
  }))
  return { text: title, collapsed, items: [...pages, ...sections.map(section => toSidebar(section, true))] }
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
