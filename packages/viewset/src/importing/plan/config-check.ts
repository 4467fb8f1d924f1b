import { ConfigError } from '../../core/errors.ts'
import { refuseUnknown } from '../../core/setting-rules.ts'
import { suggestion } from '../../core/suggestion.ts'

export class ConfigCheck {
  readonly subject: string

  constructor(subject: string) {
    this.subject = subject
  }

  refuse(key: string, problem: string): never {
    throw new ConfigError(this.subject, key, problem)
  }

  place(key: string): { readonly subject: string; readonly name: string } {
    return { subject: this.subject, name: key }
  }

  that(condition: boolean, key: string, problem: string): void {
    if (!condition) this.refuse(key, problem)
  }

  keys(at: string, value: object, known: readonly string[]): void {
    this.that(isObject(value), at || 'importFileConfig', 'must be an object')
    refuseUnknown(this.subject, 'setting', Object.keys(value), known, at)
  }

  choice(at: string, value: string, known: readonly string[]): void {
    this.that(known.includes(value), at, `unknown value "${value}"${suggestion(String(value), known)}`)
  }

  list(at: string, names: readonly string[], known: readonly string[], of: string): void {
    const given: unknown = names
    const problem = typeof given === 'string' ? `must be a list: ["${given}"]` : 'is required; give a list of names'
    this.that(Array.isArray(names), at, problem)
    for (const [index, name] of names.entries()) {
      this.that(known.includes(name), at, `"${name}" is not among the ${of}${suggestion(String(name), known)}`)
      this.that(names.indexOf(name) === index, at, `names "${name}" twice`)
    }
  }
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
