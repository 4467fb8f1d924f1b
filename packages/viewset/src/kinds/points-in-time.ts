import type { ValueLine } from './kind.ts'

/** The line of the points in time that lie so many milliseconds apart, in the years of four digits. */
export function pointsInTime(step: number, write: (iso: string) => string): ValueLine {
  const place = (value: unknown) => BigInt(Math.floor(Date.parse(String(value)) / step))
  return {
    lowest: place('1000-01-01'),
    highest: place('9999-12-31'),
    place,
    valueAt: at => write(new Date(Number(at) * step).toISOString()),
  }
}
