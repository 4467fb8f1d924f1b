import { basename, join } from 'node:path'
import type { Plugin } from 'vitepress'

/** Finds Vue for the pages, which lie beside this folder and its packages. */
export const vueOfTheSite: Plugin = {
  name: 'vue-of-the-site',
  enforce: 'pre',
  resolveId(id, _importer, { ssr }) {
    if (!/^vue(\/|$)/.test(id)) return undefined
    // What renders the pages loads it as it is.
    if (ssr) return { id, external: true }
    return this.resolve(id, join(import.meta.dirname, 'config.ts'), { skipSelf: true })
  },
}

const RESULT_STATE = `:id="'localsearch-item-' + index"
            :aria-selected="selectedIndex === index ? 'true' : 'false'"
            role="option"`

type Mending = readonly (readonly [written: string, better: string])[]

/** What parts of VitePress's theme are to those who do not see them. */
const MENDED: Readonly<Record<string, Mending>> = {
  'VPNavBarSearchButton.vue': [
    // The button's name is "Search", so that is what it says: the style sheet draws the key.
    ['<kbd class="DocSearch-Button-Key">K</kbd>', '<kbd class="DocSearch-Button-Key letter"></kbd>'],
  ],
  // A group of the sidebar is one button, which says whether it is open.
  'VPSidebarItem.vue': [
    [':role="itemRole"', ':role="itemRole" :aria-expanded="collapsible ? !collapsed : undefined"'],
    ['role="button"\n        aria-label="toggle section"', 'aria-hidden="true"'],
    ['tabindex="0"', ''],
  ],
  'NotFound.vue': [['class="NotFound"', 'class="NotFound" role="main"']],
  // A dialog with a field and a list of options.
  'VPLocalSearchBox.vue': [
    ['role="button"', 'role="dialog" aria-modal="true"'],
    [`:aria-owns="results?.length ? 'localsearch-list' : undefined"`, ''],
    ['aria-expanded="true"', ''],
    ['aria-haspopup="listbox"', ''],
    ['aria-autocomplete="both"', 'aria-autocomplete="list" role="combobox" :aria-expanded="results?.length > 0"'],
    // Options are what can be followed, not what surrounds it, and are called by their text.
    [RESULT_STATE, 'role="presentation"'],
    ['<kbd :aria-label', '<kbd role="img" :aria-label'],
    [`:aria-label="[...p.titles, p.title].join(' > ')"`, RESULT_STATE],
  ],
}

/** Makes the theme usable without seeing it. With a version of VitePress whose parts are others, the site does not build. */
export const accessibleTheme: Plugin = {
  name: 'accessible-theme',
  enforce: 'pre',
  transform(code, id) {
    const mending = MENDED[basename(id)] ?? []
    return mending.reduce((text, [written, better]) => {
      if (!text.includes(written)) this.error(`This is not there: ${written}`)
      return text.replaceAll(written, () => better)
    }, code)
  },
}
