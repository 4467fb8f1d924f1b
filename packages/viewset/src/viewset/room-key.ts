interface HasStates {
  readonly states: ReadonlyMap<object, unknown>
}

/** The name of a feature, by which it finds what it keeps of a resource. */
export interface RoomKey<S> {
  readonly name: string
  /** `undefined` for a resource that does not use the feature. */
  of(resource: HasStates): S | undefined
}

export function roomKey<S>(name: string): RoomKey<S> {
  const key: RoomKey<S> = { name, of: ({ states }) => states.get(key) as S | undefined }
  return key
}
