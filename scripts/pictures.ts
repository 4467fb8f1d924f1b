// npm run pictures -- [name ...]: makes the pictures of docs/assets anew. It starts the atlas with data of its own, asks for
// files, opens them in LibreOffice, and photographs pages in Chromium.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Atlas } from './pictures/atlas.ts'
import { Camera } from './pictures/browser.ts'
import { PICTURES, type Picture } from './pictures/list.ts'
import { checkTools, convert, firstPage } from './pictures/tools.ts'
import { workbookPicture } from './pictures/workbook.ts'

const ASSETS = join(import.meta.dirname, '../docs/assets')

/** Five cities, of which four have a mistake. */
const CITIES = [
  'name,latitude,longitude,country_code,region_code',
  'Storgata,59.91,10.75,NO,NO.12',
  'Nirgendwo,90 Grad,10.70,NO,NO.12',
  'Trondheim,63.43,10.39,XX,NO.21',
  'Bergen,60.39,5.32,NO,NO.99',
  ',59.95,10.77,NO,NO.12',
]

const make: { readonly [P in Picture]: (atlas: Atlas, camera: Camera, folder: string) => Promise<Buffer> } = {
  async 'workbook.webp'(atlas, camera) {
    const includes = ['code', 'name', 'native_name', 'capital', 'continent__name', 'phone_prefixes']
    const query = 'countries/export/?continent__name=Europe&ordering=name'
    const file = await atlas.download('europe.xlsx', query, { file_type: 'xlsx', includes })
    return camera.ofDrawing(workbookPicture(file, 3.6), 1000)
  },

  async 'pdf.webp'(atlas, camera) {
    const includes = ['code', 'name', 'native_name', 'capital']
    const query = 'countries/export/?continent__name=Europe&ordering=native_name'
    const file = await atlas.download('europe.pdf', query, { file_type: 'pdf', title: 'Europe', includes })
    return camera.ofPaper(firstPage(file), 900, 560)
  },

  async 'failed-rows.webp'(atlas, camera, folder) {
    const source = join(folder, 'cities.csv')
    writeFileSync(source, `${CITIES.join('\n')}\n`)
    const form = new FormData()
    form.set('file', new File([await readFile(convert(source, 'xlsx'))], 'cities.xlsx'))
    form.set('append_data', 'true')
    form.set('failed_rows', 'true')
    const file = await atlas.download('cities-failed.xlsx', 'cities/import-from-file/', form)
    return camera.ofDrawing(workbookPicture(file, 3), 1000)
  },

  'reference-page.webp'(atlas, camera) {
    return camera.ofWindow(1200, 700, async page => {
      await page.goto(`${atlas.address}docs/`)
      await page.locator('.opblock').first().waitFor()
    })
  },

  'reference-page-list.webp'(atlas, camera) {
    return camera.ofWindow(1200, 570, async page => {
      await page.goto(`${atlas.address}docs/`)
      const list = page.locator('.opblock-get').filter({ has: page.locator('[data-path="/countries/"]') })
      await list.locator('.opblock-summary-control').click()
      await list.getByRole('button', { name: 'Try it out' }).click()
      await list.getByRole('button', { name: 'Execute' }).click()
      const answer = list.locator('.live-responses-table')
      await answer.waitFor()
      await answer.evaluate(element => element.scrollIntoView())
    })
  },
}

checkTools()
const chosen = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'viewset-pictures-'))
const camera = await Camera.start()
try {
  const atlas = await Atlas.start(folder)
  try {
    for (const name of PICTURES) {
      if (chosen.length > 0 && !chosen.includes(name)) continue
      const picture = await make[name](atlas, camera, folder)
      writeFileSync(join(ASSETS, name), picture)
      console.log(`${name}: ${Math.round(picture.length / 1000)} kB`)
    }
  } finally {
    await atlas.stop()
  }
} finally {
  await camera.close()
  rmSync(folder, { recursive: true, force: true })
}
