import type { PgColumnBuilderBase, PgTable } from 'drizzle-orm/pg-core'
import fc from 'fast-check'
import type { ColumnKit } from 'viewset'
import { uuid } from './expect.ts'
import type { Sample } from './random-values.ts'
import * as values from './random-values.ts'

/** What a random column is, and what a client may send for it. */
interface Column {
  /** For people who read a failure. */
  readonly label: string
  readonly make: (c: ColumnKit, targets: PgTable) => Builder
  readonly sample: fc.Arbitrary<Sample>
  /** From what is shown to what a record holds, for a default. */
  readonly held: (shown: never) => unknown
  readonly canBeUnique: boolean
}

interface Builder extends PgColumnBuilderBase {
  notNull(): Builder
  unique(): Builder
  primaryKey(): Builder
  default(value: unknown): Builder
}

export interface RandomField extends Column {
  /** The name in code and on the wire. */
  readonly key: string
  readonly wire: string
  readonly nullable: boolean
  readonly unique: boolean
  readonly default: Sample | null
}

/** The key of a model: one that is filled, or one that the client chooses. */
export interface RandomKey {
  readonly label: string
  readonly columns: (c: ColumnKit) => Record<string, PgColumnBuilderBase>
  /** `null` where a client sends none. */
  readonly sample: fc.Arbitrary<Sample> | null
}

export interface RandomModel {
  readonly key: RandomKey
  readonly fields: readonly RandomField[]
}

/** Rows that foreign keys may refer to. */
export const TARGETS = [1, 2, 3].map(uuid)

/** Names that databases, JavaScript or the conversion to snake_case could stumble over. */
const NAMES = [
  ['name', 'name'],
  ['order', 'order'],
  ['select', 'select'],
  ['isURL', 'is_u_r_l'],
  ['lineTotal', 'line_total'],
  ['user', 'user'],
  ['group', 'group'],
  ['length', 'length'],
  ['x2', 'x2'],
  ['default', 'default'],
  ['then', 'then'],
  ['data', 'data'],
  ['errors', 'errors'],
  ['from', 'from'],
  ['inputX', 'input_x'],
] as const

const same = (shown: unknown) => shown

/** One of each kind of column, with its parameters at random. */
function column(): fc.Arbitrary<Column> {
  const fixed = (
    label: string,
    make: (c: ColumnKit) => unknown,
    sample: fc.Arbitrary<Sample>,
    held: Column['held'] = same,
  ) =>
    // A kit's columns are typed by what they hold, which is random here.
    fc.constant<Column>({ label, make: c => make(c) as Builder, sample, held, canBeUnique: true })
  const notUnique = (arbitrary: fc.Arbitrary<Column>) => arbitrary.map(made => ({ ...made, canBeUnique: false }))
  return fc.oneof(
    fixed('text()', c => c.text(), values.texts()),
    fc
      .integer({ min: 1, max: 30 })
      .chain(length => fixed(`text(${length})`, c => c.text(length), values.texts(length))),
    fixed('integer()', c => c.integer(), values.integers),
    fixed(
      'bigint()',
      c => c.bigint(),
      values.bigints,
      shown => BigInt(shown),
    ),
    fc
      .integer({ min: 1, max: 15 })
      .chain(precision => fc.tuple(fc.constant(precision), fc.integer({ min: 0, max: precision })))
      .chain(([precision, scale]) =>
        fixed(`decimal(${precision}, ${scale})`, c => c.decimal(precision, scale), values.decimals(precision, scale)),
      ),
    notUnique(fixed('boolean()', c => c.boolean(), values.booleans)),
    fixed('timestamp()', c => c.timestamp(), values.timestamps),
    fixed('date()', c => c.date(), values.dates),
    fixed('uuid()', c => c.uuid(), values.uuids),
    fixed('float()', c => c.float(), values.floats),
    fixed('time()', c => c.time(), values.times),
    notUnique(
      fixed(
        'binary(20)',
        c => c.binary(20),
        values.bytes(20),
        shown => new Uint8Array(Buffer.from(shown, 'base64')),
      ),
    ),
    notUnique(
      fc.oneof(
        fixed('array(text())', c => c.array(c.text()), values.lists(values.texts())),
        fixed('array(decimal(9, 2))', c => c.array(c.decimal(9, 2)), values.lists(values.decimals(9, 2))),
        fixed('array(timestamp())', c => c.array(c.timestamp()), values.lists(values.timestamps)),
        fixed('array(boolean())', c => c.array(c.boolean()), values.lists(values.booleans)),
      ),
    ),
    notUnique(fixed('json()', c => c.json(), values.json)),
    notUnique(
      fc.uniqueArray(values.text(12), { minLength: 1, maxLength: 4 }).chain(([first = '', ...rest]) =>
        fixed(
          `enumeration(${JSON.stringify([first, ...rest])})`,
          c => c.enumeration([first, ...rest]),
          fc.constantFrom(first, ...rest).map(value => ({ sent: value, shown: value })),
        ),
      ),
    ),
    notUnique(
      fc.constant<Column>({
        label: 'foreignKey(targets)',
        make: (c, targets) => c.foreignKey(targets) as unknown as Builder,
        sample: fc.constantFrom(...TARGETS).map(id => ({ sent: id.toUpperCase(), shown: id })),
        held: same,
        canBeUnique: false,
      }),
    ),
  )
}

function field([key, wire]: readonly [string, string]): fc.Arbitrary<RandomField> {
  return column().chain(made =>
    fc.record({
      ...asConstants(made),
      key: fc.constant(key),
      wire: fc.constant(wire),
      nullable: fc.boolean(),
      unique: made.canBeUnique ? fc.integer({ min: 1, max: 4 }).map(n => n === 1) : fc.constant(false),
      default: fc.option(made.sample, { freq: 3 }),
    }),
  )
}

function asConstants(made: Column) {
  return {
    label: fc.constant(made.label),
    make: fc.constant(made.make),
    sample: fc.constant(made.sample),
    held: fc.constant(made.held),
    canBeUnique: fc.constant(made.canBeUnique),
  }
}

function key(): fc.Arbitrary<RandomKey> {
  const chosen = (label: string, make: (c: ColumnKit) => unknown, sample: fc.Arbitrary<Sample>): RandomKey => ({
    label,
    columns: c => ({ id: (make(c) as Builder).primaryKey() }),
    sample,
  })
  return fc.constantFrom<RandomKey[]>(
    { label: 'BaseModelMixin', columns: c => ({ ...c.BaseModelMixin() }), sample: null },
    chosen('uuid key', c => c.uuid(), values.uuids),
    { label: 'integer key', columns: c => ({ id: c.integer().primaryKey() }), sample: null },
    chosen('bigint key', c => c.bigint(), values.bigints),
    // An address cannot say these three.
    chosen(
      'text key',
      c => c.text(40),
      values.texts(40).filter(({ sent }) => !['', '.', '..'].includes(String(sent))),
    ),
  )
}

/** A model of one to eight columns of any kind. */
export function randomModel(): fc.Arbitrary<RandomModel> {
  const names = fc.shuffledSubarray([...NAMES], { minLength: 1, maxLength: 8 })
  return fc.record({ key: key(), fields: names.chain(chosen => fc.tuple(...chosen.map(field))) })
}

/** The table of a random model. */
export function tableOf(c: ColumnKit, name: string, { key, fields }: RandomModel, targets: PgTable) {
  const columns = fields.map(({ key, make, nullable, unique, default: value, held }) => {
    const steps: ((column: Builder) => Builder)[] = [
      column => (nullable ? column : column.notNull()),
      column => (unique ? column.unique() : column),
      column => (value ? column.default(held(value.shown as never)) : column),
    ]
    return [key, steps.reduce((column, step) => step(column), make(c, targets))] as const
  })
  return c.table(name, { ...key.columns(c), ...Object.fromEntries(columns) })
}

/** What a failure says of its model. */
export function describeModel({ key, fields }: RandomModel): string {
  const lines = fields.map(
    field =>
      `${field.key}: ${field.label}${field.nullable ? '' : ' not null'}${field.unique ? ' unique' : ''}${
        field.default ? ` default ${JSON.stringify(field.default.shown)}` : ''
      }`,
  )
  return [key.label, ...lines].join('\n  ')
}
