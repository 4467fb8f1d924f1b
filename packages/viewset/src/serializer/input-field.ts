import type * as z from 'zod'
import { shown } from '../core/config-error.ts'
import { ConfigError } from '../core/errors.ts'
import type { DeclaredColumn, DeclaredInput } from './fields.ts'

/**
 * A value that requests send and no column keeps, such as a password. `performCreate` and `performUpdate` get it among
 * their values, by the field's name. It is not stored and not shown.
 *
 * @throws ConfigError for anything but a Zod schema.
 * @example
 * extra: { password: InputField(z.string().min(8)) }
 */
export function InputField<Out, In>(schema: z.ZodType<Out, In>): DeclaredInput<Out, In> {
  if (typeof schema?.safeParse !== 'function') throw new ConfigError('InputField', 'schema', 'must be a Zod schema')
  return { kind: 'input', schema }
}

/**
 * A column under another name: DRF's `source`.
 *
 * @throws ConfigError for anything but a name.
 * @example
 * extra: { label: ColumnField('title') }
 */
export function ColumnField<const C extends string>(column: C): DeclaredColumn<C> {
  if (typeof column !== 'string') {
    const problem = `must be the name of a column, as in ColumnField('title'), not ${shown(column)}`
    throw new ConfigError('ColumnField', 'column', problem)
  }
  return { kind: 'column', column }
}
