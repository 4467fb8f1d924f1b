import * as drizzle from 'drizzle-orm'
import fc from 'fast-check'
import * as viewset from 'viewset'
import {
  AllowAny,
  allOf,
  anyOf,
  IsAdminUser,
  IsAuthenticated,
  noneOf,
  type Permission,
  type PermissionClass,
  type PermissionView,
  ReadOnly,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import { requirePermissions } from '../../src/viewset/permissions.ts'
import { cases } from '../support/cases.ts'

interface Thing {
  readonly owner: number
}

const view = (method = 'GET', user: PermissionView['user'] = null): PermissionView => ({ action: 'any', method, user })
const admin = { id: 1, roles: ['admin'] }
const somebody = { id: 2 }

/** What an action on one record comes to: the request first, then the record. */
async function outcome(permission: PermissionClass<Thing>, asked: PermissionView, record: Thing) {
  try {
    await requirePermissions([permission], asked)
    await requirePermissions([permission], asked, record)
    return true
  } catch {
    return false
  }
}

test('IsAdminUser wants the role', () => {
  expect(IsAdminUser.hasPermission(view('GET', admin))).toBe(true)
  expect(IsAdminUser.hasPermission(view('GET', somebody))).toBe(false)
  expect(IsAdminUser.hasPermission(view())).toBe(false)
})

test.each([
  ['GET', true],
  ['HEAD', true],
  ['OPTIONS', true],
  ['POST', false],
  ['PUT', false],
  ['PATCH', false],
  ['DELETE', false],
])('ReadOnly allows %s: %s', (method, allowed) => {
  expect(ReadOnly.hasPermission(view(method))).toBe(allowed)
})

test('no export has the name of one of Drizzle, which the same file imports', () => {
  expect(Object.keys(viewset).filter(name => name in drizzle)).toEqual([])
})

describe('allOf, anyOf and noneOf', () => {
  const IsOwner: Permission<Thing> = {
    hasPermission: ({ user }) => user !== null,
    hasObjectPermission: ({ user }, thing) => thing.owner === user?.id,
  }
  const parts = {
    AllowAny,
    IsAuthenticated,
    IsAdminUser,
    ReadOnly,
    IsOwner,
    later: async (asked: PermissionView) => asked.method === 'POST',
  }
  type Name = keyof typeof parts
  /** What each part says of a request for a record, as a person would say it. */
  const says: Record<Name, (asked: PermissionView, thing: Thing) => boolean> = {
    AllowAny: () => true,
    IsAuthenticated: ({ user }) => user !== null,
    IsAdminUser: ({ user }) => user === admin,
    ReadOnly: ({ method }) => method === 'GET',
    IsOwner: ({ user }, thing) => user !== null && thing.owner === user.id,
    later: ({ method }) => method === 'POST',
  }

  type Rule = Name | { allOf: Rule[] } | { anyOf: Rule[] } | { noneOf: Rule[] }
  const { rule } = fc.letrec<{ rule: Rule }>(tie => ({
    rule: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.constantFrom(...(Object.keys(parts) as Name[])),
      fc.record({ allOf: fc.array(tie('rule'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ anyOf: fc.array(tie('rule'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ noneOf: fc.array(tie('rule'), { minLength: 1, maxLength: 3 }) }),
    ),
  }))

  function build(from: Rule): PermissionClass<Thing> {
    if (typeof from === 'string') return parts[from]
    if ('allOf' in from) return allOf(...from.allOf.map(build))
    if ('anyOf' in from) return anyOf(...from.anyOf.map(build))
    return noneOf(...from.noneOf.map(build))
  }
  function expected(from: Rule, asked: PermissionView, thing: Thing): boolean {
    if (typeof from === 'string') return says[from](asked, thing)
    if ('allOf' in from) return from.allOf.every(part => expected(part, asked, thing))
    if ('anyOf' in from) return from.anyOf.some(part => expected(part, asked, thing))
    return !from.noneOf.some(part => expected(part, asked, thing))
  }

  test('mean what they say for a request about a record, however they are put together', async () => {
    const asked = fc.record({ method: fc.constantFrom('GET', 'POST'), user: fc.constantFrom(null, admin, somebody) })
    await fc.assert(
      fc.asyncProperty(rule, asked, fc.constantFrom(1, 2, 3), async (from, { method, user }, owner) => {
        const thing = { owner }
        expect(await outcome(build(from), view(method, user), thing)).toBe(expected(from, view(method, user), thing))
      }),
      { numRuns: cases(500) },
    )
  })
})
