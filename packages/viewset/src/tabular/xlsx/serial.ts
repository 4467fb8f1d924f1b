const DAY = 86_400_000
const EPOCH = 25_569
/** The serial number of 1904-01-01, the start of the date system of old Macs. */
const EPOCH_1904 = 1462
/** 1900-03-01: before it, Excel counts a February 29 that did not exist. */
const FIRST = 61
const LAST = 2_958_465
/** More digits than any double needs: see {@link serialText}. */
const MICROSECOND_DIGITS = 18

/**
 * The serial number of a date (`2026-01-15`): days since 1899-12-30. `undefined` for other texts and for days that
 * spreadsheets cannot count, such as one before 1900-03-01.
 */
export function dateSerial(text: string): number | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? daySerial(text) : undefined
}

/**
 * The serial number of a timestamp (`2026-01-15T10:30:00.123456Z`) in UTC: days with the time of day as fraction.
 * `undefined` also if a double cannot hold its microseconds.
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
  // Milliseconds are safe up to the last year, microseconds up to 2079.
  const tolerance = /^\d{0,3}0*$/.test(fraction) ? 0.5e-3 : 0.5e-6
  const isExact = Math.abs((serial - day) * 86_400 - time) < tolerance
  return isExact && serial >= FIRST && serial < LAST + 1 ? serial : undefined
}

/**
 * A serial number for a workbook. Spreadsheets keep milliseconds, and their arithmetic is off by some microseconds. To
 * distinguish real microseconds from this noise, they are written with more digits than needed.
 */
export function serialText(serial: number, timestamp: string): string {
  return /\.\d{3}\d*[1-9]/.test(timestamp) ? serial.toPrecision(MICROSECOND_DIGITS) : String(serial)
}

/**
 * The text of a serial number in a date format: `2026-01-15` without a time of day, `2026-01-15T10:30:00`, or
 * `10:30:00` before the first day. Rounded to milliseconds, unless {@link serialText} wrote microseconds. `undefined`
 * if no day has this number.
 */
export function serialMoment(text: string, countsFrom1904 = false): string | undefined {
  const digits = text.replace(/^[-0.]+|\D/g, '').length
  const perSecond = digits >= MICROSECOND_DIGITS ? 1_000_000 : 1000
  const serial = Number(text) + (countsFrom1904 ? EPOCH_1904 : 0)
  let day = Math.floor(serial)
  let time = Math.round((serial - day) * 86_400 * perSecond)
  if (time === 86_400 * perSecond) {
    day++
    time = 0
  }
  if (day < 0 || day > LAST) return undefined
  const clock = clockText(Math.floor(time / perSecond), time % perSecond, perSecond)
  if (day === 0) return clock
  if (day === FIRST - 1) return time === 0 ? '1900-02-29' : `1900-02-29T${clock}`
  const date = new Date((day - EPOCH + (day < FIRST ? 1 : 0)) * DAY).toISOString().slice(0, 10)
  return time === 0 ? date : `${date}T${clock}`
}

function clockText(seconds: number, fraction: number, perSecond: number): string {
  const clock = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map(part =>
    String(Math.floor(part)).padStart(2, '0'),
  )
  // `1`, then the digits with leading zeros.
  return clock.join(':') + (fraction === 0 ? '' : `.${String(perSecond + fraction).slice(1)}`)
}

function daySerial(text: string): number | undefined {
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10))]
  const time = Date.UTC(year, month - 1, day)
  // Date.UTC turns February 31 into March, and the years 0 to 99 into 1900 to 1999.
  const date = new Date(time)
  if (date.getUTCDate() !== day || date.getUTCMonth() !== month - 1 || date.getUTCFullYear() !== year) return undefined
  const serial = time / DAY + EPOCH
  return serial >= FIRST && serial <= LAST ? serial : undefined
}
