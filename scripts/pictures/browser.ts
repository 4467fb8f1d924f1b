/// <reference lib="dom" />
import { type Browser, chromium, type Page } from 'playwright-core'
import { CHROMIUM } from './tools.ts'

/** Pixels of a point of the page: pictures stay sharp on most screens. */
const SCALE = 1.5
const QUALITY = 0.82

/** Chromium without a network but this machine. */
export class Camera {
  readonly #browser: Browser

  private constructor(browser: Browser) {
    this.#browser = browser
  }

  static async start(): Promise<Camera> {
    const args = ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1']
    return new Camera(await chromium.launch({ executablePath: CHROMIUM, args }))
  }

  /** A picture of a drawing, without the empty paper around it. */
  ofDrawing(svg: string, width: number): Promise<Buffer> {
    return this.#ofSvg(svg, width, async page => {
      await page.evaluate(() => {
        const drawing = document.querySelector('svg')
        if (!drawing) return
        for (const paper of drawing.querySelectorAll(':scope > rect')) paper.remove()
        const { x, y, width, height } = drawing.getBBox()
        drawing.setAttribute('viewBox', [x, y, width, height].join(' '))
        for (const size of ['width', 'height']) drawing.removeAttribute(size)
      })
      return page.locator('svg').first().screenshot()
    })
  }

  /** A picture of the upper part of a page. */
  ofPaper(svg: string, width: number, height: number): Promise<Buffer> {
    return this.#ofSvg(svg, width, page => page.screenshot({ clip: { x: 0, y: 0, width, height } }))
  }

  #ofSvg(svg: string, width: number, shoot: (page: Page) => Promise<Buffer>): Promise<Buffer> {
    const style = `body { margin: 0; background: white } svg { display: block; width: ${width}px; height: auto }`
    return this.#take({ width, height: 800 }, async page => {
      await page.setContent(`<style>${style}</style>${svg}`)
      return shoot(page)
    })
  }

  /** A picture of what a window shows. */
  ofWindow(width: number, height: number, prepare: (page: Page) => Promise<void>): Promise<Buffer> {
    return this.#take({ width, height }, async page => {
      await prepare(page)
      return page.screenshot()
    })
  }

  async #take(viewport: { width: number; height: number }, shoot: (page: Page) => Promise<Buffer>): Promise<Buffer> {
    const page = await this.#browser.newPage({ viewport, deviceScaleFactor: SCALE })
    try {
      return await this.#webp(await shoot(page))
    } finally {
      await page.close()
    }
  }

  /** Chromium writes WebP by a canvas only. */
  async #webp(png: Buffer): Promise<Buffer> {
    const page = await this.#browser.newPage()
    try {
      const source = `data:image/png;base64,${png.toString('base64')}`
      const encoded = await page.evaluate(
        async ([address = '', quality]) => {
          const image = new Image()
          image.src = address
          await image.decode()
          const canvas = document.createElement('canvas')
          canvas.width = image.width
          canvas.height = image.height
          canvas.getContext('2d')?.drawImage(image, 0, 0)
          return canvas.toDataURL('image/webp', Number(quality))
        },
        [source, String(QUALITY)],
      )
      return Buffer.from(encoded.slice(encoded.indexOf(',') + 1), 'base64')
    } finally {
      await page.close()
    }
  }

  close(): Promise<void> {
    return this.#browser.close()
  }
}
