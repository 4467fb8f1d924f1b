import type { WireName } from '../core/wire-names.ts'
import type { FieldName, Model, ModelRow, Referred } from '../model/kit.ts'
import type { WireBody } from '../model/wire-row.ts'
import type { ClassTypes, SettingOf, Simplify } from './class-types.ts'
import type { QueryValue } from './options.ts'

// Query parameters of the filters and paginations in `query/`.

/** A look-up, so that editors do not show this type's name. */
type ValueOf<M extends Model, K extends FieldName<M>> = {
  readonly value:
    | (bigint extends ModelRow<M>[K] ? bigint : never)
    | TextUnless<Extract<WireBody<M>[K], string | number | boolean>>
}['value']
type TextUnless<V> = [V] extends [never] ? string : V

type ValueAt<M extends Model, P> =
  P extends FieldName<M>
    ? ValueOf<M, P>
    : P extends `${infer K}__${infer Rest}`
      ? [Referred<M, K>] extends [infer R extends Model]
        ? ValueAt<R, Rest>
        : string | number | boolean
      : never

type LookupValue<L, V> = L extends 'in'
  ? readonly V[]
  : L extends 'range'
    ? readonly [from: V, to: V]
    : L extends 'isnull'
      ? boolean
      : L extends 'year' | 'month' | 'day'
        ? number
        : L extends 'state'
          ? 'active' | 'deleted' | 'all'
          : L extends 'iexact' | 'contains' | 'icontains' | 'startswith' | 'istartswith'
            ? string
            : V

type Filter<M extends Model, F> = F extends readonly (infer P)[]
  ? P extends string
    ? { name: WireName<P>; value: ValueAt<M, P> }
    : never
  : { [P in keyof F & string]: Lookups<M, P, F[P]> }[keyof F & string]
type Lookups<M extends Model, P extends string, L> = L extends readonly (infer Name extends string)[]
  ? Name extends Name
    ? {
        name: Name extends 'exact' | 'state' ? WireName<P> : `${WireName<P>}__${Name}`
        value: LookupValue<Name, ValueAt<M, P>>
      }
    : never
  : never
type Named<F extends { name: string; value: unknown }> = { [E in F as E['name']]?: E['value'] | undefined }

type Orderings<T extends ClassTypes> = (SettingOf<T, 'orderingFields'> extends readonly (infer P extends string)[]
  ? { [K in P as WireName<K>]: true }
  : NonNullable<T['serializer']['~types']>['sortable']) & { [K in T['computed']]: true }

type Narrowing<T extends ClassTypes> = Named<Filter<T['model'], SettingOf<T, 'filterFields'>>> &
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

/** Query parameters of a list. */
export type ListQuery<T extends ClassTypes> = Simplify<
  Narrowing<T> &
    ([PaginationOf<T>] extends [null] ? StandardPaging : Paging<PaginationOf<T>>) & {
      paginated?: boolean | undefined
    } & Own<T>
>
/** Query parameters of an export, without those of pages. */
export type ExportQuery<T extends ClassTypes> = Simplify<Narrowing<T> & Own<T>>
