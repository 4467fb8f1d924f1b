interface Sendable {
  readonly status?: number | undefined
  readonly headers: Readonly<Record<string, string | string[]>>
}

/** RFC 9110, 5.6.2. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/i
/** RFC 9110, 5.5. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Servers report these mistakes too late: with an answer that is no envelope, or by ending the process. */
export function checkSendable(answer: Sendable): void {
  const fault = whyUnsendable(answer)
  if (fault) throw fault
}

export function whyUnsendable({ status = 200, headers }: Sendable): TypeError | undefined {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    return new TypeError(`An answer cannot have the status ${status}: give one from 200 to 599.`)
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!NAME.test(name)) return new TypeError(`An answer cannot have a header with the name ${JSON.stringify(name)}.`)
    const wrong = [value].flat().find(each => typeof each !== 'string' || !VALUE.test(each))
    if (wrong === undefined) continue
    return new TypeError(
      `The header ${name} cannot be ${JSON.stringify(wrong)}: encode it, as encodeURIComponent does.`,
    )
  }
  return undefined
}
