const DAY = 86_400_000
/** The serial number of 1970-01-01. */
const EPOCH = 25_569
/** 1900-03-01: before it, Excel counts a 29 February 1900 that never was. */
const FIRST = 61
/** 9999-12-31 */
const LAST = 2_958_465

/**
 * The serial number of a date (`2026-01-15`) in a spreadsheet: days since 1899-12-30. `undefined` for anything that is
 * no date or that spreadsheets cannot count, such as a day before 1900-03-01.
 */
export function dateSerial(text: string): number | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? daySerial(text) : undefined
}

/**
 * The serial number of a timestamp (`2026-01-15T10:30:00.123456Z`) in UTC: days, with the time of day as fraction.
 * `undefined` also when a double cannot hold its microseconds.
 */
export function timestampSerial(text: string): number | undefined {
  const match = /^\d{4}-\d\d-\d\d[T ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(?:Z|([+-])(\d\d):?(\d\d))?$/.exec(text)
  const day = match ? daySerial(text) : undefined
  if (!match || day === undefined) return undefined
  const [, hour, minute, second, fraction = '', sign, offsetHours, offsetMinutes] = match
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const offset = sign ? Number(`${sign}1`) * (Number(offsetHours) * 60 + Number(offsetMinutes)) : 0
  const seconds = (Number(hour) * 60 + Number(minute) - offset) * 60 + Number(second)
  const time = seconds + Number(fraction.padEnd(6, '0')) / 1e6
  const serial = day + time / 86_400
  // Whole milliseconds are safe up to the last year, microseconds up to 2079.
  const tolerance = /^\d{0,3}0*$/.test(fraction) ? 0.5e-3 : 0.5e-6
  const isExact = Math.abs((serial - day) * 86_400 - time) < tolerance
  return isExact && serial >= FIRST && serial < LAST + 1 ? serial : undefined
}

function daySerial(text: string): number | undefined {
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10))]
  const time = Date.UTC(year, month - 1, day)
  // Date.UTC carries a 31 February over into March, and takes the years 0 to 99 for 1900 to 1999.
  const date = new Date(time)
  if (date.getUTCDate() !== day || date.getUTCMonth() !== month - 1 || date.getUTCFullYear() !== year) return undefined
  const serial = time / DAY + EPOCH
  return serial >= FIRST && serial <= LAST ? serial : undefined
}
