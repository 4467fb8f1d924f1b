import fc from 'fast-check'
import { AllowAny, BaseModelSerializer, BaseViewSet, createRecord, type ModelSerializer } from 'viewset'
import { expect, inject } from 'vitest'
import { TestApi } from './api.ts'
import type { TestDialect } from './dialects.ts'
import { describeModel, type RandomField, type RandomModel, randomModel, TARGETS, tableOf } from './random-models.ts'
import type { Sample } from './random-values.ts'
import { schemaErrors } from './schemas.ts'

type Values = Readonly<Record<string, Sample>>
type Item = Record<string, unknown>

interface Round {
  readonly key: Sample | null
  readonly created: Values
  readonly put: Values
  readonly patched: Values
}

/**
 * Creates, replaces and changes records of random models: whatever a valid client sends is what it reads ever after.
 * A failure prints the model and the seed.
 */
export async function roundTrip(
  dialect: TestDialect,
  {
    models,
    payloads,
    seed = inject('seed'),
  }: { readonly models: number; readonly payloads: number; readonly seed?: number },
): Promise<void> {
  const randomModels = fc.sample(randomModel(), { numRuns: models, seed })
  const targets = dialect.kit.table('targets', { id: dialect.kit.uuid().primaryKey() })
  const tables = randomModels.map((model, i) => tableOf(dialect.kit, `model_${i}`, model, targets))
  const serializers = tables.map((table, i) =>
    BaseModelSerializer(table, { fields: ['id', ...(randomModels[i] as RandomModel).fields.map(field => field.key)] }),
  )
  const api = await TestApi.start(dialect, {
    tables: { targets, ...tables },
    resources: Object.fromEntries(
      serializers.map((serializer, i) => [
        `model_${i}`,
        BaseViewSet({ model: serializer.model, serializer, permissionClasses: [AllowAny] }),
      ]),
    ),
  })
  try {
    await api.database.transaction(async () => {
      for (const id of TARGETS) await createRecord(targets, { id })
    })
    for (const [i, model] of randomModels.entries()) {
      const visitor = new Visitor(api, `/model_${i}/`, model, serializers[i] as ModelSerializer)
      await fc
        .assert(
          fc.asyncProperty(rounds(model), round => visitor.visit(round)),
          // What is unique has been used by the runs before: a smaller example would not be the same one.
          { numRuns: payloads, seed, endOnFailure: true },
        )
        .catch((error: Error) => {
          throw new Error(`Seed ${seed}, model ${describeModel(model)}\n${error.message}`, { cause: error })
        })
      await visitor.list()
    }
  } finally {
    await api.close()
  }
}

function rounds({ key, fields }: RandomModel): fc.Arbitrary<Round> {
  const all = valuesOf(fields, field => !field.nullable && !field.default)
  return fc.record({
    key: key.sample ?? fc.constant(null),
    created: all,
    put: all,
    patched: valuesOf(fields, () => false),
  })
}

/** Something for each field that is required, and for some of the others. */
function valuesOf(fields: readonly RandomField[], isRequired: (field: RandomField) => boolean): fc.Arbitrary<Values> {
  const samples = fields.map(field => {
    const value = field.nullable ? fc.option(field.sample, { nil: { sent: null, shown: null } }) : field.sample
    return [field.wire, value] as const
  })
  const requiredKeys = fields.filter(isRequired).map(field => field.wire)
  return fc.record(Object.fromEntries(samples), { requiredKeys, noNullPrototype: true })
}

/** A client that remembers what it has sent. */
class Visitor {
  readonly #api: TestApi
  readonly #path: string
  readonly #model: RandomModel
  readonly #serializer: ModelSerializer
  /** What must be shown, by the text of the key. */
  readonly #expected = new Map<string, Item>()

  constructor(api: TestApi, path: string, model: RandomModel, serializer: ModelSerializer) {
    this.#serializer = serializer
    this.#api = api
    this.#path = path
    this.#model = model
  }

  async visit({ key, created, put, patched }: Round): Promise<void> {
    const own = key ? { id: key } : {}
    const defaults = this.#model.fields.map(field => [field.wire, field.default?.shown ?? null] as const)
    const first = { ...Object.fromEntries(defaults), ...shownOf({ ...own, ...created }) }
    const { id } = await this.#write('POST', this.#path, { ...own, ...created }, first, 201)
    if (id === undefined) return
    const path = `${this.#path}${encodeURIComponent(String(key ? key.sent : id).trim())}/`
    await this.#expectStored(path, id)
    for (const [method, values] of [
      ['PUT', put],
      ['PATCH', patched],
    ] as const) {
      await this.#write(method, path, values, { ...this.#expected.get(String(id)), ...shownOf(values) }, 200, id)
      await this.#expectStored(path, id)
    }
  }

  /** Sends values, and expects to be shown `expected`, or to be refused because a unique value is taken. */
  async #write(
    method: 'POST' | 'PUT' | 'PATCH',
    path: string,
    values: Values,
    expected: Item,
    status: number,
    id?: unknown,
  ): Promise<Item> {
    const body = Object.fromEntries(Object.entries(values).map(([wire, { sent }]) => [wire, sent]))
    const described = this.#serializer.inputSchema({ existing: id !== undefined, partial: method === 'PATCH' })
    expect(schemaErrors(described, body)).toEqual([])
    const response = await this.#api.request(method, path, { body })
    const taken = this.#takenBy(expected, id)
    const claimed = taken.filter(wire => wire in values)
    if (taken.length > 0) {
      const { errors = {} } = response.envelope()
      const refused = Object.keys(errors)
      // A default that is taken, where nothing is claimed, is for the database to find: it names one.
      if (claimed.length === 0) expect(taken).toContain(refused[0])
      else expect(refused.toSorted()).toEqual(claimed.toSorted())
      expect(response.status).toBe(claimed.length === 0 ? 409 : 400)
      expect(new Set(Object.values(errors).flat())).toEqual(new Set(['Another record already has this value.']))
      return {}
    }
    expect(response.status, response.text).toBe(status)
    const shown = response.data<Item>()
    expect(shown).toEqual({ ...expected, id: expected.id ?? shown.id })
    expect(schemaErrors(this.#serializer.outputSchema(), shown)).toEqual([])
    this.#expected.set(String(shown.id), shown)
    return shown
  }

  /** The fields whose values another record has. */
  #takenBy(expected: Item, id: unknown): readonly string[] {
    const others = [...this.#expected.values()].filter(other => id === undefined || other.id !== id)
    const unique = this.#model.fields.filter(field => field.unique).map(field => field.wire)
    return [...(id === undefined ? ['id'] : []), ...unique].filter(wire => {
      const value = expected[wire]
      return value != null && others.some(other => other[wire] === value)
    })
  }

  async #expectStored(path: string, id: unknown): Promise<void> {
    const response = await this.#api.get(path)
    expect(response.status, `${path} ${response.text}`).toBe(200)
    expect(response.data()).toEqual(this.#expected.get(String(id)))
  }

  /** The list shows what each record shows. */
  async list(): Promise<void> {
    const items = (await this.#api.get(`${this.#path}?paginated=false`)).data<Item[]>()
    expect(new Map(items.map(({ index, ...item }) => [String(item.id), item]))).toEqual(this.#expected)
  }
}

function shownOf(values: Values): Item {
  return Object.fromEntries(Object.entries(values).map(([wire, { shown }]) => [wire, shown]))
}
