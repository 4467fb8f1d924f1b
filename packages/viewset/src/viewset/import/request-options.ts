import { isDeepStrictEqual } from 'node:util'
import { parseJson } from '../../core/json/parse-json.ts'
import { type ApiRequest, queryValue } from '../../core/request.ts'
import type { ImportMapping } from '../../importing/options.ts'
import { isMapping } from '../../importing/read/sheet-mapping.ts'
import { readBoolean } from '../../kinds/boolean.ts'

type Reading<T> = { readonly value: T } | { readonly problem: string }

/** Collects all problems, so that one answer reports them. */
export class RequestOptionsReader {
  readonly errors: Record<string, string[]> = {}
  readonly #fields: ReadonlyMap<string, string>
  readonly #request: ApiRequest

  constructor(fields: ReadonlyMap<string, string>, request: ApiRequest) {
    this.#fields = fields
    this.#request = request
  }

  /** `undefined` if it is missing or invalid. */
  boolean(name: string): boolean | undefined {
    return this.#read(name, booleanIn)
  }

  mapping(name: string): ImportMapping | undefined {
    return this.#read(name, mappingIn)
  }

  booleanOfForm(name: string, missing: string): boolean | undefined {
    const value = this.boolean(name)
    if (this.errors[name] !== undefined || this.#fields.has(name)) return value
    this.errors[name] = [value === undefined ? missing : 'Send this field as a part of the form, not in the address.']
    return undefined
  }

  #read<T>(name: string, read: (text: string) => Reading<T>): T | undefined {
    const texts = [this.#fields.get(name), queryValue(this.#request, name)].filter(text => text !== undefined)
    const values: T[] = []
    for (const text of texts) {
      const reading = read(text.trim())
      if ('problem' in reading) {
        this.errors[name] = [reading.problem]
        return undefined
      }
      values.push(reading.value)
    }
    const [value, other = value] = values
    if (isDeepStrictEqual(value, other)) return value
    this.errors[name] = ['The form and the address say different things of this; give it once.']
    return undefined
  }
}

function booleanIn(text: string): Reading<boolean> {
  const value = readBoolean(text)
  return value === undefined ? { problem: 'Enter "true" or "false".' } : { value }
}

const MAPPING = 'Send a JSON object with the field for each header, or null to leave it out: {"Airport code": "iata"}.'

function mappingIn(text: string): Reading<ImportMapping | undefined> {
  // An empty field of a form means no value.
  if (text === '') return { value: undefined }
  try {
    const value = parseJson(text)
    if (isMapping(value)) return { value }
  } catch {}
  return { problem: MAPPING }
}
