/** The messages for values of the wrong type, with the value as they show it. */
export const notAText = (value: unknown) => `${shown(value)} is not a text. Send a text in quotes.`
export const notAWholeNumber = (value: unknown) =>
  typeof value === 'string' && /^[+-]?\d{1,19}$/.test(value)
    ? `${shown(value)} is in quotes. Send the number without quotes.`
    : `${shown(value)} is not a whole number. Write it like 42.`
export const notANumber = (value: unknown) => `${shown(value)} is not a number. Write it like 90.5.`
export const notAUuid = (value: unknown) =>
  `${shown(value)} is not a UUID. Write it like 7b3f1c5e-4a52-4f0e-9d7b-3f9f0f6f2a11.`

/** The message for a value that is no key of a related record. */
export const notAKey = (value: unknown, key = 'id') => `Send the "${key}" of the related record, not ${shown(value)}.`

/** The message for a value of a foreign key that no record has. */
export const noRecord = (record: string, value: unknown, field = 'id') =>
  `There is no ${record} with the ${field} "${value}".`

const LONGEST = 50

function shown(value: unknown): string {
  const text = JSON.stringify(value)
  if (text.length <= LONGEST + 2) return text
  return text.startsWith('"') ? `${text.slice(0, LONGEST)}..."` : `${text.slice(0, LONGEST)}...`
}
