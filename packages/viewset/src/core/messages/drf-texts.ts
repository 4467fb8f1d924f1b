import { english } from './english.ts'
import type { Texts } from './message.ts'

const UNIQUE_TOGETHER = ({ fields }: { readonly fields: string }) => `The fields ${fields} must make a unique set.`
const UNIQUE = 'This field must be unique.'
const INTEGER = 'A valid integer is required.'
const NUMBER = 'A valid number is required.'
const BOOLEAN = 'Must be a valid boolean.'
const DATE = 'Date has wrong format. Use one of these formats instead: YYYY-MM-DD.'
const TIME = 'Time has wrong format. Use one of these formats instead: hh:mm[:ss[.uuuuuu]].'
const PAGE = 'Invalid page.'
const CREDENTIALS = 'Authentication credentials were not provided.'

/** Python's names of the types of JSON. */
const TYPES = {
  nothing: 'NoneType',
  null: 'NoneType',
  array: 'list',
  object: 'dict',
  string: 'str',
  number: 'int',
  boolean: 'bool',
} as const

/** Python's type of a value as a message shows it. */
function typeOf(shown: string): string {
  if (shown.startsWith('"')) return TYPES.string
  if (shown.startsWith('[')) return TYPES.array
  if (shown === 'true' || shown === 'false') return TYPES.boolean
  return /^-?\d+$/.test(shown) ? TYPES.number : 'float'
}

function missing(field: string, value: string): string {
  return field === 'id'
    ? `Invalid pk "${value}" - object does not exist.`
    : `Object with ${field}=${value} does not exist.`
}

const NOT_A_LIST = ({ found }: { readonly found: keyof typeof TYPES }) =>
  `Expected a list of items but got type "${TYPES[found]}".`

const records = ({ max }: { readonly max: number }) => `Ensure this field has no more than ${max} elements.`

/**
 * The sentences of Django REST framework 3.18 in English, for front ends that compare texts. Messages that it does not
 * have keep Viewset's sentences, and so do other languages.
 *
 * @example
 * app.register(resources, { prefix: '/api', database, resources: { countries: CountryViewSet }, messages: drfTexts })
 */
export const drfTexts: { readonly en: Texts } = {
  en: {
    'required.similar': english.required,
    null: 'This field may not be null.',
    blank: 'This field may not be blank.',
    empty: 'This list may not be empty.',
    invalid_text: 'Not a valid string.',
    invalid_integer: INTEGER,
    'invalid_integer.quoted': INTEGER,
    invalid_number: NUMBER,
    'invalid_number.quoted': NUMBER,
    invalid_boolean: BOOLEAN,
    invalid_uuid: 'Must be a valid UUID.',
    invalid_choice: ({ value }) => `${value.startsWith('"') ? value : `"${value}"`} is not a valid choice.`,
    invalid_date: DATE,
    'invalid_date.no_such_day': DATE,
    invalid_datetime:
      'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
    invalid_time: TIME,
    invalid_address: 'Enter a valid IPv4 or IPv6 address.',
    invalid_json: 'Value must be valid JSON.',
    invalid_email: 'Enter a valid email address.',
    invalid_url: 'Enter a valid URL.',
    invalid_format: 'This value does not match the required pattern.',
    'max_length.items': records,
    'max_length.names': records,
    'min_length.items': ({ min }) => `Ensure this field has at least ${min} elements.`,
    not_an_object: ({ found }) =>
      found === 'nothing'
        ? english.not_an_object({ found })
        : `Invalid data. Expected a dictionary, but got ${TYPES[found]}.`,
    not_a_list: params => (params.found === 'nothing' ? english.not_a_list(params) : NOT_A_LIST(params)),
    'not_a_list.items': NOT_A_LIST,
    'not_a_list.keys': NOT_A_LIST,
    unique: UNIQUE,
    'unique.item': UNIQUE,
    'unique.together': UNIQUE_TOGETHER,
    'unique.items_together': UNIQUE_TOGETHER,
    does_not_exist: ({ field, value }) => missing(field, value),
    'does_not_exist.several': ({ field, values: [quoted = ''] }) => missing(field, quoted.replace(/^"(.*)"$/s, '$1')),
    key_expected: `Incorrect type. Expected pk value, received ${TYPES.object}.`,
    'key_expected.value': ({ value }) => `Incorrect type. Expected pk value, received ${typeOf(value)}.`,
    not_found: 'Not found.',
    'not_found.key': 'Not found.',
    'not_found.address': 'Not found.',
    'not_found.address_like': 'Not found.',
    'not_found.page_numbers': PAGE,
    'not_found.last_page': PAGE,
    'not_found.page': PAGE,
    'not_found.cursor': 'Invalid cursor',
    method_not_allowed: ({ method }) => `Method "${method}" not allowed.`,
    'not_authenticated.header': CREDENTIALS,
    'not_authenticated.token': 'Invalid token.',
  },
}
