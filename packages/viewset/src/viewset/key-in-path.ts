import { kindOf } from '../kinds/kinds.ts'
import type { ModelInfo } from '../model/model-info.ts'

interface PathView {
  readonly request: { readonly params: Readonly<Record<string, string | undefined>> }
  readonly definition: { readonly model: ModelInfo }
}

/** The primary key in the path of a request; `undefined` for no key, or for a malformed one. */
export function keyInPath({ request, definition }: PathView): unknown {
  const { id } = request.params
  const { primaryKey } = definition.model
  return id === undefined ? undefined : kindOf(primaryKey).readKey(primaryKey, id)
}
