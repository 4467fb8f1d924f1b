// What a client gets: fields in snake_case, the values of JSON, and JSON columns as they are.
import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  type ColumnKit,
  CustomOutputField,
  defineKind,
  ExpressionField,
  IdOnlyField,
  IdToDataField,
  IdToStrField,
  ManyIdToDataField,
  type ModelRecord,
  type SerializerData,
  type SerializerOutput,
} from 'viewset'
import type { Equal, Expect } from './support.ts'

declare const kit: ColumnKit

interface Profile {
  readonly firstName: string
  readonly homeAddresses: readonly { readonly zipCode?: string }[]
  readonly mapPosition: [number, number] | null
}

const money = defineKind('money', { column: c => c.decimal(12, 2) })
const place = defineKind<{ latLng: [number, number] }>('place', { column: c => c.json() })

const people = kit.table('people', {
  id: kit.bigint().primaryKey(),
  fullName: kit.text().notNull(),
  userProfile: kit.json().$type<Profile>().notNull(),
  anyThing: kit.json(),
  hourlyRate: kit.decimal(8, 2).notNull(),
  bodyHeight: kit.float(),
  getsUp: kit.time().notNull(),
  nickNames: kit.array(kit.text()).notNull(),
  luckyNumbers: kit.array(kit.integer()),
  smallPhoto: kit.binary(),
  monthlyRent: kit.kind(money).notNull(),
  homePlace: kit.kind(place),
})
const teams = kit.table('teams', { id: kit.uuid().primaryKey(), teamLead: kit.foreignKey(people) })

const PersonSerializer = BaseModelSerializer(people, {
  fields: [
    'id',
    'fullName',
    'userProfile',
    'anyThing',
    'hourlyRate',
    'bodyHeight',
    'getsUp',
    'nickNames',
    'luckyNumbers',
    'smallPhoto',
    'monthlyRent',
    'homePlace',
  ],
})
interface PersonData {
  id: number | string
  full_name: string
  user_profile: Profile
  any_thing: unknown
  hourly_rate: string
  body_height: number | null
  gets_up: string
  nick_names: string[]
  lucky_numbers: number[] | null
  small_photo: string | null
  monthly_rent: string
  home_place: { latLng: [number, number] } | null
}
const TeamSerializer = BaseModelSerializer(teams, {
  fields: ['id'],
  extra: {
    teamLead: IdToDataField({ queryset: people, serializer: PersonSerializer }),
    leadId: IdOnlyField({ queryset: people, column: 'teamLead', readOnly: true }),
    leadName: IdToStrField({ queryset: people, str: 'fullName', column: 'teamLead', readOnly: true }),
    leadProfile: IdToStrField({ queryset: people, str: 'userProfile', column: 'teamLead', readOnly: true }),
    leadCard: CustomOutputField({
      queryset: people,
      column: 'teamLead',
      readOnly: true,
      output: person => ({ shortName: person.fullName, personId: person.id, madeAt: new Date() }),
    }),
    memberList: ManyIdToDataField({ queryset: people, serializer: PersonSerializer, column: 'id' }),
    madeUp: () => ({ innerKey: 1n, madeAt: new Date() }),
    seenAt: ExpressionField({ expression: sql`now()`, type: 'timestamp', notNull: true }),
  },
})
type Team = SerializerData<typeof TeamSerializer>
type _kit = [
  Expect<Equal<SerializerData<typeof PersonSerializer>, PersonData>>,
  Expect<Equal<Team['team_lead'], PersonData | null>>,
  Expect<Equal<Team['lead_id'], number | string | null>>,
  Expect<Equal<Team['lead_name'], string | null>>,
  Expect<Equal<Team['lead_profile'], Profile | null>>,
  // What a function makes keeps its own keys.
  Expect<Equal<Team['lead_card'], { shortName: string; personId: number | string; madeAt: string } | null>>,
  Expect<Equal<Team['member_list'], PersonData[]>>,
  Expect<Equal<Team['made_up'], { innerKey: number | string; madeAt: string }>>,
  Expect<Equal<Team['seen_at'], string>>,
  // In code, a relation shows what its serializer does in code.
  Expect<Equal<SerializerOutput<typeof TeamSerializer>['teamLead'], SerializerOutput<typeof PersonSerializer> | null>>,
  Expect<Equal<SerializerOutput<typeof PersonSerializer>['id'], bigint>>,
  Expect<Equal<SerializerOutput<typeof PersonSerializer>['smallPhoto'], Uint8Array | null>>,
]

// Drizzle's own columns, whose records hold other types than the wire shows.
const pgTable = pg.pgTable('things', {
  id: pg.bigserial({ mode: 'number' }).primaryKey(),
  madeAt: pg.timestamp().notNull(),
  onDay: pg.date({ mode: 'date' }),
  total: pg.numeric({ mode: 'number' }).notNull(),
  count: pg.numeric({ mode: 'bigint' }),
  size: pg.bigint({ mode: 'bigint' }).notNull(),
  visits: pg.timestamp().array().notNull(),
  labels: pg.text().array().notNull(),
  settings: pg.jsonb().$type<{ darkMode: boolean }[]>().notNull(),
  word: pg.text({ enum: ['a', 'b'] }).notNull(),
})
const _things = BaseModelSerializer(pgTable, {
  fields: ['id', 'madeAt', 'onDay', 'total', 'count', 'size', 'visits', 'labels', 'settings', 'word'],
})
const liteTable = lite.sqliteTable('things', {
  id: lite.integer().primaryKey(),
  madeAt: lite.integer({ mode: 'timestamp' }).notNull(),
  total: lite.numeric({ mode: 'number' }),
  isOpen: lite.integer({ mode: 'boolean' }).notNull(),
  settings: lite.text({ mode: 'json' }).$type<{ darkMode: boolean }>(),
})
const liteSerializer = BaseModelSerializer(liteTable, { fields: ['id', 'madeAt', 'total', 'isOpen', 'settings'] })
interface LiteData {
  id: number
  made_at: string
  total: string | null
  is_open: boolean
  settings: { darkMode: boolean } | null
}
type _plain = [
  Expect<
    Equal<
      SerializerData<typeof _things>,
      {
        id: number | string
        made_at: string
        on_day: string | null
        total: string
        count: string | null
        size: number | string
        visits: string[]
        labels: string[]
        settings: { darkMode: boolean }[]
        word: 'a' | 'b'
      }
    >
  >,
  Expect<Equal<SerializerData<typeof liteSerializer>, LiteData>>,
]

// Views and records speak of the same.
class Things extends BaseViewSet({ model: liteTable, serializer: liteSerializer, permissionClasses: [AllowAny] }) {}
declare const view: InstanceType<typeof Things>
declare const record: ModelRecord<typeof liteTable>
declare const person: ModelRecord<typeof people>
type _faces = [
  Expect<Equal<Awaited<ReturnType<typeof view.retrieve>>, LiteData>>,
  Expect<Equal<ReturnType<typeof record.getJson>['made_at'], string | undefined>>,
  Expect<Equal<ReturnType<typeof person.getJson>['user_profile'], Profile | undefined>>,
]
