/** Reserved words of JavaScript and TypeScript, and names with a meaning in a module. */
const RESERVED = new Set(
  `abstract any arguments as async await boolean break case catch class const continue debugger declare default delete do
  else enum eval export extends false finally for from function get if implements import in infer instanceof interface
  is keyof let module namespace never new null number object of package private protected public readonly return set
  static string super switch symbol this throw true try type typeof undefined unique unknown using var void while with
  yield`.split(/\s+/),
)

/** Latin letters that are not another letter with a mark. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th' }

/**
 * A database's name in camelCase: `Order Items` -> `orderItems`, `größe` -> `grosse`. Letters of other scripts stay.
 *
 * @returns the empty text for a name without letters and digits
 */
export function camelCase(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/(?<=\p{Script=Latin})\p{M}+/gu, '')
    .normalize('NFC')
    .replace(/[ßæœøłđðþ]/giu, letter => LETTERS[letter.toLowerCase()] ?? letter)
    .split(/[^\p{L}\p{N}]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)
    .filter(word => word !== '')
  const [first = '', ...rest] = words.map(word => word.toLowerCase())
  return [first, ...rest.map(word => word.charAt(0).toUpperCase() + word.slice(1))].join('')
}

/** For files and URLs: `orderItems` -> `order-items`. */
export function kebabCase(identifier: string): string {
  return identifier.replace(/(?<=.)\p{Lu}/gu, letter => `-${letter}`).toLowerCase()
}

/** Makes each name unique. */
export class Names {
  readonly #taken = new Set<string>()
  readonly #suffix: string
  readonly #reserved: (name: string) => boolean

  /** `suffix` makes a valid name: `import` -> `importTable`, `2nd` -> `table2nd`. */
  constructor(suffix: string, reserved: (name: string) => boolean) {
    this.#suffix = suffix
    this.#reserved = reserved
  }

  /** The first free candidate, or else the last one with a number. */
  take(...candidates: readonly string[]): string {
    const names = candidates.map(name => this.#asName(name))
    const name = names.find(candidate => !this.#taken.has(candidate)) ?? this.#numbered(names.at(-1) ?? '')
    this.#taken.add(name)
    return name
  }

  #asName(name: string): string {
    if (!/^\p{L}/u.test(name)) return this.#suffix.toLowerCase() + name
    return this.#reserved(name) ? name + this.#suffix : name
  }

  #numbered(name: string): string {
    let number = 2
    while (this.#taken.has(`${name}${number}`)) number++
    return `${name}${number}`
  }
}

export function isReserved(name: string): boolean {
  return RESERVED.has(name)
}
