import type { WireName } from '../core/wire-names.ts'
import type { FieldName, Model, ModelRow, Referred } from '../model/kit.ts'
import type { KeyName, WireBody } from '../model/wire-row.ts'
import type { SerializerData } from '../serializer/model-serializer.ts'
import type { ClassTypes, SettingOf, Simplify } from './class-types.ts'
import type { QueryValue } from './options.ts'

// Query parameters of the filters and paginations in `query/`.

/** A look-up, so that editors do not show this type's name. */
type ValueOf<M extends Model, K extends FieldName<M>> = {
  readonly value:
    | (bigint extends ModelRow<M>[K] ? bigint : never)
    | TextUnless<Extract<WireBody<M>[K], string | number | boolean | readonly unknown[]>>
}['value']
type TextUnless<V> = [V] extends [never] ? string : V

/** `A` are the paths that the serializer adds to those of the model. */
type ValueAt<M extends Model, P, A = unknown> = P extends keyof A
  ? A[P] extends { readonly model: infer R extends Model }
    ? WireBody<R>[Extract<KeyName<R>, keyof WireBody<R>>]
    : A[P] extends { readonly value: infer V }
      ? TextUnless<Extract<V, string | number | boolean>>
      : never
  : P extends `${infer K}__${infer Rest}`
    ? K extends keyof A
      ? A[K] extends { readonly model: infer R extends Model }
        ? ValueOfModel<R, Rest>
        : never
      : ValueOfModel<M, P>
    : ValueOfModel<M, P>

type ValueOfModel<M extends Model, P> =
  P extends FieldName<M>
    ? ValueOf<M, P>
    : P extends `${infer K}__${infer Rest}`
      ? [Referred<M, K>] extends [infer R extends Model]
        ? ValueOfModel<R, Rest>
        : string | number | boolean
      : never

/** A list of the items of a list, or of values. */
type ItemsOf<V> = [V] extends [readonly (infer I)[]] ? readonly I[] : readonly V[]
type LookupValue<L, V> = L extends 'in' | 'not_in' | 'overlap'
  ? ItemsOf<V>
  : L extends 'range'
    ? readonly [from: V, to: V]
    : L extends 'isnull'
      ? boolean
      : L extends 'year' | 'quarter' | 'month' | 'day' | 'iso_week_day'
        ? number
        : L extends 'state'
          ? 'active' | 'deleted' | 'all'
          : L extends
                | 'iexact'
                | 'icontains'
                | 'startswith'
                | 'istartswith'
                | 'endswith'
                | 'iendswith'
                | 'date'
                | 'has_key'
            ? string
            : L extends 'contains'
              ? string | ([V] extends [readonly unknown[]] ? ItemsOf<V> : never)
              : V

type Filter<M extends Model, F, A> = F extends readonly (infer P)[]
  ? P extends string
    ? Lookup<P, 'exact' | 'ne', ValueAt<M, P, A>>
    : never
  : { [P in keyof F & string]: Lookups<M, P, F[P], A> }[keyof F & string]
type Lookups<M extends Model, P extends string, L, A> = L extends readonly (infer Name extends string)[]
  ? Lookup<P, Name | Negated<Name>, ValueAt<M, P, A>>
  : never
/** The lookups that come with another one. */
type Negated<Name> = Name extends 'exact' ? 'ne' : Name extends 'in' ? 'not_in' : never
type Lookup<P extends string, Name extends string, V> = Name extends Name
  ? {
      name: Name extends 'exact' | 'state' ? WireName<P> : `${WireName<P>}__${Name}`
      value: LookupValue<Name, V>
    }
  : never
type Named<F extends { name: string; value: unknown }> = { [E in F as E['name']]?: E['value'] | undefined }

type Orderings<T extends ClassTypes> = (SettingOf<T, 'orderingFields'> extends readonly (infer P extends string)[]
  ? { [K in P as WireName<K>]: true }
  : NonNullable<T['serializer']['~types']>['sortable']) & { [K in T['computed']]: true }

type Paths<T extends ClassTypes> = NonNullable<T['serializer']['~types']>['paths']
type Narrowing<T extends ClassTypes> = Named<Filter<T['model'], SettingOf<T, 'filterFields'>, Paths<T>>> &
  // An expression of all these filters.
  (SettingOf<T, 'filterFields'> extends undefined ? unknown : { or?: string | undefined }) &
  (SettingOf<T, 'searchFields'> extends undefined ? unknown : { search?: string | undefined }) &
  // Keys, because editors list them one by one.
  (keyof Orderings<T> extends infer N extends string
    ? { ordering?: N | `-${N}` | readonly (N | `-${N}`)[] | undefined }
    : never)

type Parameter<P, K extends string, Standard extends string> = K extends keyof P
  ? string extends P[K]
    ? Standard
    : Extract<P[K], string>
  : Standard
type Numbers<Name extends string> = { [K in Name]?: number | undefined }

type Paging<P> = P extends { pageQueryParam: string }
  ? Numbers<Parameter<P, 'pageQueryParam', 'page'> | Parameter<P, 'pageSizeQueryParam', 'page_size'>>
  : P extends { limitQueryParam: string }
    ? Numbers<Parameter<P, 'limitQueryParam', 'limit'> | Parameter<P, 'offsetQueryParam', 'offset'>>
    : P extends { cursorQueryParam: string }
      ? { [K in Parameter<P, 'cursorQueryParam', 'cursor'>]?: string | undefined } & Numbers<
          Parameter<P, 'pageSizeQueryParam', 'page_size'>
        >
      : Anything
/** Custom styles and filters may read any parameter. */
type Anything = { [parameter: string]: QueryValue }

/** The pagination style of a resource as an instance; `null` for the standard one. */
export type PaginationOf<T extends ClassTypes> =
  SettingOf<T, 'paginationClass'> extends infer P
    ? P extends new () => infer I
      ? I
      : P extends object
        ? P
        : null
    : never
type StandardPaging = { page?: number | undefined; page_size?: number | undefined }

type Own<T extends ClassTypes> = SettingOf<T, 'filterBackends'> extends undefined ? unknown : Anything

/** Of a resource that shows deleted records to some users. */
type Deleted<T extends ClassTypes> =
  SettingOf<T, 'deletedPermissionClasses'> extends undefined ? unknown : { deleted?: 'only' | undefined }

type Expandable<T extends ClassTypes> =
  SettingOf<T, 'expandableFields'> extends infer E extends object
    ? { [K in keyof E & string as WireName<K>]: SerializerData<E[K]> }
    : Record<never, never>

/** Whether clients can choose what a list and a retrieve show. */
export type Chooses<T extends ClassTypes> =
  SettingOf<T, 'sparseFields'> extends true ? true : [keyof Expandable<T>] extends [never] ? false : true

/** `Expands` are the records that a request can show in place of their identifiers. */
type SparseChoice<T extends ClassTypes, Expands = unknown> =
  SettingOf<T, 'sparseFields'> extends true ? { fields?: readonly FieldPath<T, Expands>[] | undefined } : unknown
type FieldPath<T extends ClassTypes, Expands> =
  | FieldOf<T>
  | PathsBelow<Pick<SerializerData<T['serializer']>, NestedField<T>>>
  | PathsBelow<Expands>
type FieldOf<T extends ClassTypes> = keyof SerializerData<T['serializer']> & string
type NestedField<T extends ClassTypes> = Extract<NonNullable<T['serializer']['~types']>['nested'], FieldOf<T>>
/** `lines.quantity`. Only two names of a path are checked: a union of all paths would be large. */
type PathsBelow<D> = {
  [K in keyof D & string]: PathBelow<K, RecordsIn<D[K]>>
}[keyof D & string]
type PathBelow<K extends string, R> = {
  [P in keyof R & string]: `${K}.${P}` | ([RecordsIn<R[P]>] extends [never] ? never : `${K}.${P}.${string}`)
}[keyof R & string]
/** The record that a field shows, or the one of its list. */
type RecordsIn<V> = V extends readonly (infer I)[] ? RecordsIn<I> : V extends object ? V : never

/** The parameters by which a client chooses what a record shows. */
export type Choice<T extends ClassTypes> = SparseChoice<T, Expandable<T>> &
  ([keyof Expandable<T>] extends [never] ? unknown : { expand?: readonly (keyof Expandable<T>)[] | undefined })

/** A record with the fields that the query `Q` has chosen. `Kept` are those of every item. */
export type Chosen<T extends ClassTypes, Shown, Q, Kept = 'index' | '_etag'> = Simplify<
  Q extends { readonly fields: readonly (infer F)[] }
    ? Narrowed<Expanded<T, Shown, Q>, F | Kept>
    : Expanded<T, Shown, Q>
>
/** `D` with the fields of the paths `F`, in nested records, too. */
type Narrowed<D, F> = {
  [K in keyof D as K extends Top<F> ? K : never]: K extends F ? D[K] : NarrowedIn<D[K], Below<F, K>>
}
type NarrowedIn<V, F> = V extends readonly (infer I)[] ? NarrowedIn<I, F>[] : V extends object ? Narrowed<V, F> : V
type Top<F> = F extends `${infer Name}.${string}` ? Name : F
type Below<F, K> = F extends `${K & string}.${infer Rest}` ? Rest : never
type Expanded<T extends ClassTypes, Shown, Q> = Q extends { readonly expand: readonly (infer E)[] }
  ? {
      [K in keyof Shown]: K extends E
        ? K extends keyof Expandable<T>
          ? Shown[K] extends readonly unknown[]
            ? Expandable<T>[K][]
            : Expandable<T>[K] | (Shown[K] & null)
          : Shown[K]
        : Shown[K]
    }
  : Shown

/** Query parameters of a list. */
export type ListQuery<T extends ClassTypes> = Simplify<
  Narrowing<T> &
    Choice<T> &
    ([PaginationOf<T>] extends [null] ? StandardPaging : Paging<PaginationOf<T>>) & {
      paginated?: boolean | undefined
    } & Own<T> &
    Deleted<T>
>
/** Query parameters of an export, without those of pages. */
export type ExportQuery<T extends ClassTypes> = Simplify<Narrowing<T> & SparseChoice<T> & Own<T>>
