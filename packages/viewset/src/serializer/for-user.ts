import { BoundedCache } from '../core/bounded-cache.ts'
import type { User } from '../core/context.ts'
import { isReadable, isWritable, type SerializerField, type UserTest } from './fields.ts'
import { recordSchemas } from './json-schema.ts'
import type { ModelSerializer } from './model-serializer.ts'
import { withFields } from './with-fields.ts'

const MOST_KEPT = 100

/** The tests of a serializer's fields and of nested ones, each once. */
const tests = new WeakMap<ModelSerializer, readonly UserTest[]>()
/** The serializers from which those of users are made. */
const wholes = new WeakMap<ModelSerializer, ModelSerializer>()
const made = new WeakMap<ModelSerializer, BoundedCache<string, ModelSerializer>>()

/** Whether a serializer shows or takes some fields only for some users. */
export function dependsOnUser(serializer: ModelSerializer): boolean {
  return testsOf(serializer).length > 0
}

function testsOf(serializer: ModelSerializer): readonly UserTest[] {
  let known = tests.get(serializer)
  if (!known) {
    const own = serializer.fields.flatMap(field => [
      ...[field.readableBy, field.writableBy].filter(test => test !== undefined),
      ...nestedSerializers(field).flatMap(testsOf),
    ])
    known = [...new Set(own)]
    tests.set(serializer, known)
  }
  return known
}

function nestedSerializers(field: SerializerField): readonly ModelSerializer[] {
  const found =
    field.kind === 'many'
      ? [field.serializer]
      : field.kind === 'stored'
        ? [field.nested?.serializer, field.relation?.serializer]
        : []
  return found.filter(serializer => serializer !== undefined)
}

/** The serializer with the fields that a user may read and write. Users with equal answers share one. */
export function forUser(serializer: ModelSerializer, user: User | null): ModelSerializer {
  const all = testsOf(serializer)
  if (all.length === 0) return serializer
  const passed = new Set(all.filter(test => test(user) === true))
  return variant(serializer, passed)
}

function variant(serializer: ModelSerializer, passed: ReadonlySet<UserTest>): ModelSerializer {
  const all = testsOf(serializer)
  if (all.every(test => passed.has(test))) return serializer
  const cache = made.get(serializer) ?? new BoundedCache<string, ModelSerializer>(MOST_KEPT)
  made.set(serializer, cache)
  return cache.get(all.map(test => Number(passed.has(test))).join(''), () => {
    const fields = serializer.fields.flatMap(field => fieldFor(field, passed))
    const own = { ...withFields(serializer, fields), ...recordSchemas(String(serializer.outputSchema().title), fields) }
    wholes.set(own, serializer)
    return own
  })
}

/** The serializer with the fields of all users. */
export function wholeOf(serializer: ModelSerializer): ModelSerializer {
  return wholes.get(serializer) ?? serializer
}

function fieldFor(field: SerializerField, passed: ReadonlySet<UserTest>): readonly SerializerField[] {
  const mayRead = isReadable(field) && (!field.readableBy || passed.has(field.readableBy))
  const mayWrite = isWritable(field) && (!field.writableBy || passed.has(field.writableBy))
  if (!mayRead && !mayWrite) return []
  if (field.kind === 'computed' || field.kind === 'expression' || field.kind === 'input') return [field]
  const own = { ...nestedFor(field, passed), readOnly: !mayWrite, writeOnly: !mayRead }
  return [own]
}

function nestedFor<F extends SerializerField>(field: F, passed: ReadonlySet<UserTest>): F {
  const of = (serializer: ModelSerializer | undefined) => serializer && variant(serializer, passed)
  if (field.kind === 'many') return { ...field, serializer: of(field.serializer) }
  if (field.kind !== 'stored') return field
  const { nested, relation } = field
  return {
    ...field,
    nested: nested && { ...nested, serializer: of(nested.serializer) },
    relation: relation && { ...relation, serializer: of(relation.serializer) },
  }
}

/** The columns and relations that only some users may write, and that the user of a serializer may not. */
export function refusedFields(own: ModelSerializer): ReadonlySet<string> {
  const nameOf = (field: SerializerField) => (field.kind === 'stored' ? field.column.key : field.key)
  const taken = new Set(own.fields.filter(isWritable).map(nameOf))
  const limited = wholeOf(own)
    .fields.filter(({ writableBy }) => writableBy)
    .map(nameOf)
  return new Set(limited.filter(name => !taken.has(name)))
}
