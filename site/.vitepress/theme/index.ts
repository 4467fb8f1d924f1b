import { useRoute } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { nextTick, onMounted, watch } from 'vue'
import './style.css'

export default {
  extends: DefaultTheme,
  setup() {
    const route = useRoute()
    onMounted(showActiveEntry)
    watch(() => route.path, showActiveEntry)
  },
}

/** Scrolls the contents to the page that is shown. */
async function showActiveEntry(): Promise<void> {
  // The group of the page unfolds first.
  await nextTick()
  await nextTick()
  const contents = document.querySelector('.VPSidebar')
  const entry = contents?.querySelector('.is-link.is-active')
  if (!contents || !entry) return
  const { top, bottom } = contents.getBoundingClientRect()
  const place = entry.getBoundingClientRect()
  if (place.top >= top && place.bottom <= bottom) return
  contents.scrollTop += place.top - top - contents.clientHeight / 2
}
