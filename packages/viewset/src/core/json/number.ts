/** A double keeps every decimal of so many digits, unless it is next to nothing. */
const KEPT_DIGITS = 15
const NEXT_TO_NOTHING = 1e-290

/**
 * Why a number of JSON cannot be taken; `undefined` where JavaScript holds exactly what was written, which is where the
 * shortest decimal of the double is the same number. So `0.1` and `1.50` are fine, though no double is precisely a tenth.
 */
export function numberProblem(source: string): string | undefined {
  const value = Number(source)
  // With a fraction or an exponent it is meant as a float: 6.02e23 is one.
  if (!/[.eE]/.test(source)) {
    return Number.isSafeInteger(value)
      ? undefined
      : 'This integer is too large to be exact as a number. Send it as a string.'
  }
  if (!Number.isFinite(value)) return 'This number is too large.'
  if (keepsDigits(source, value) || isSameDecimal(source, String(value))) return undefined
  return `This number cannot be held exactly: it would become ${value}. Send it as a string.`
}

/** The quick answer for most numbers; `false` says nothing. */
function keepsDigits(source: string, value: number): boolean {
  const exponent = source.search(/e/i)
  return (exponent === -1 ? source.length : exponent) <= KEPT_DIGITS && Math.abs(value) > NEXT_TO_NOTHING
}

/** Whether the shortest decimal of the double that JavaScript makes of it is the same number. */
export function isExactNumber(source: string): boolean {
  const value = Number(source)
  return Number.isFinite(value) && (keepsDigits(source, value) || isSameDecimal(source, String(value)))
}

/** Whether text is a decimal with nothing but digits, a sign and a point. */
export function isPlainDecimal(text: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(text)
}

function isSameDecimal(a: string, b: string): boolean {
  const one = decimalOf(a)
  const other = decimalOf(b)
  return one.digits === other.digits && (one.digits === '' || one.exponent === other.exponent)
}

/** The digits without zeros at either end, none for zero itself, and the power of ten of the last. */
function decimalOf(source: string): { digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = source.replace(/^-/, '').split(/e/i)
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = whole + fraction
  // Loops, because /0+$/ takes quadratic time on a megabyte of zeros.
  let start = 0
  while (digits[start] === '0') start++
  let end = digits.length
  while (end > start && digits[end - 1] === '0') end--
  return { digits: digits.slice(start, end), exponent: Number(power) - fraction.length + digits.length - end }
}
