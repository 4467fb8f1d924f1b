/** A bar for each of them, with its value beside it. */
export interface BarPanel {
  readonly title: string
  readonly bars: readonly { readonly label: string; readonly value: number | null }[]
}

export interface LinePanel {
  readonly title: string
  readonly lines: readonly { readonly label: string; readonly points: readonly (readonly [x: number, y: number])[] }[]
}

const STYLE = `
    text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
    .title { font-weight: 600; font-size: 13px }
    .soft { fill: #57606a }
    .bar { fill: #afb8c1 }
    .ours { fill: #0969da }
    .rule { stroke: #d0d7de }
    .line { fill: none; stroke-width: 2 }
    .s0 { stroke: #0969da; fill: #0969da } .s1 { stroke: #1a7f37; fill: #1a7f37 } .s2 { stroke: #9a6700; fill: #9a6700 }
    .s3 { stroke: #cf222e; fill: #cf222e } .s4 { stroke: #8250df; fill: #8250df } .s5 { stroke: #bf3989; fill: #bf3989 }
    .line.s0, .line.s1, .line.s2, .line.s3, .line.s4, .line.s5 { fill: none }
    text.name { stroke: none }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      .soft { fill: #9da7b1 }
      .bar { fill: #57606a }
      .ours { fill: #4493f8 }
      .rule { stroke: #3d444d }
      .s0 { stroke: #4493f8; fill: #4493f8 } .s1 { stroke: #3fb950; fill: #3fb950 } .s2 { stroke: #d29922; fill: #d29922 }
      .s3 { stroke: #f85149; fill: #f85149 } .s4 { stroke: #ab7df8; fill: #ab7df8 } .s5 { stroke: #f778ba; fill: #f778ba }
    }`
const WIDTH = 904
const GAP = 28
const ROW = 19

/** Panels of bars, three beside each other, each with a scale of its own; the first bar of each is ours. */
export function barPlot(title: string, panels: readonly BarPanel[], format: (value: number) => string): string {
  const columns = 3
  const width = (WIDTH - (columns - 1) * GAP) / columns
  const labels = 118
  const bars = Math.max(...panels.map(panel => panel.bars.length))
  const height = 34 + bars * ROW
  const drawn = panels.map(({ title: name, bars: all }, n) => {
    const left = (n % columns) * (width + GAP)
    const top = 8 + Math.trunc(n / columns) * height
    const most = Math.max(...all.map(({ value }) => value ?? 0))
    const room = width - labels - 52
    const rows = all.map(({ label, value }, index) => {
      const y = top + 26 + index * ROW
      const length = value === null || most === 0 ? 0 : Math.max(1, (value / most) * room)
      const bar = `<rect class="${index === 0 ? 'ours' : 'bar'}" x="${round(left + labels)}" y="${y}" width="${round(length)}" height="13" rx="2"/>`
      const figure = value === null ? '-' : format(value)
      return `${text(left + labels - 6, y + 11, label, 'end', index === 0 ? '' : 'soft')}${value === null ? '' : bar}${text(left + labels + length + 5, y + 11, figure, 'start', 'soft')}`
    })
    return text(left, top + 14, name, 'start', 'title') + rows.join('')
  })
  return svg(title, 8 + Math.ceil(panels.length / columns) * height, drawn)
}

/** Panels of lines beside each other, both axes in powers of ten, both panels with the same axes. */
export function linePlot(
  title: string,
  panels: readonly LinePanel[],
  axes: { readonly x: string; readonly y: string },
): string {
  const width = (WIDTH - (panels.length - 1) * GAP) / panels.length
  const height = 300
  const area = { left: 48, right: width - 92, top: 34, bottom: height - 44 }
  const points = panels.flatMap(panel => panel.lines.flatMap(line => line.points))
  const [xs, ys] = [powers(points.map(([x]) => x)), powers(points.map(([, y]) => y))]
  const at = (value: number, scale: readonly number[], from: number, to: number) => {
    const [low = 0, high = 1] = [scale[0], scale.at(-1)]
    return from + ((Math.log10(value) - low) / Math.max(high - low, 1)) * (to - from)
  }
  const drawn = panels.map(({ title: name, lines }, n) => {
    const left = n * (width + GAP)
    const x = (value: number) => left + at(value, xs, area.left, area.right)
    const y = (value: number) => at(value, ys, area.bottom, area.top)
    const grid = [
      ...ys.map(power => {
        const level = round(y(10 ** power))
        return `<path class="rule" d="M${round(left + area.left)} ${level}H${round(left + area.right)}"/>${text(left + area.left - 6, level + 4, short(10 ** power), 'end', 'soft')}`
      }),
      ...xs.map(power => text(x(10 ** power), area.bottom + 18, short(10 ** power), 'middle', 'soft')),
    ]
    const ends = apart(lines.map(line => y(line.points.at(-1)?.[1] ?? 1)))
    const drawnLines = lines.map((line, index) => {
      const path = line.points.map(([px, py], i) => `${i === 0 ? 'M' : 'L'}${round(x(px))} ${round(y(py))}`).join('')
      const last = x(line.points.at(-1)?.[0] ?? 1)
      return `<path class="line s${index}" d="${path}"/>${text(last + 8, (ends[index] ?? 0) + 4, line.label, 'start', `name s${index}`)}`
    })
    const middle = left + (area.left + area.right) / 2
    return [
      text(left, 14, `${name}: ${axes.y}`, 'start', 'title'),
      ...grid,
      text(middle, height - 8, axes.x, 'middle', 'soft'),
      ...drawnLines,
    ].join('')
  })
  return svg(title, height, drawn)
}

/** Heights of labels moved down until none covers another. */
function apart(heights: readonly number[]): readonly number[] {
  const placed = [...heights]
  let last = Number.NEGATIVE_INFINITY
  for (const index of heights.map((_, n) => n).toSorted((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0))) {
    last = Math.max(placed[index] ?? 0, last + 14)
    placed[index] = last
  }
  return placed
}

/** The powers of ten from the one below all values to the one above. */
function powers(values: readonly number[]): readonly number[] {
  const low = Math.floor(Math.log10(Math.min(...values)))
  const high = Math.ceil(Math.log10(Math.max(...values)))
  return Array.from({ length: high - low + 1 }, (_, n) => low + n)
}

function short(value: number): string {
  if (value >= 1e6) return `${value / 1e6}M`
  return value >= 1e3 ? `${value / 1e3}k` : String(Number(value.toPrecision(1)))
}

function text(x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end', name: string): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${round(x)}" y="${round(y)}"${anchor === 'start' ? '' : ` text-anchor="${anchor}"`}${name === '' ? '' : ` class="${name}"`}>${escaped}</text>`
}

function svg(title: string, height: number, parts: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title">
  <title id="title">${title}</title>
  <style>${STYLE}
  </style>
  ${parts.join('\n  ')}
</svg>
`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
