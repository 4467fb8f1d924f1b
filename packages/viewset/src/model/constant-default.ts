const constants = new WeakSet<() => unknown>()

/** A default for Drizzle's `$defaultFn` that is the same for all records. */
export function constantDefault<T>(value: T): () => T {
  const constant = () => value
  constants.add(constant)
  return constant
}

export function isConstantDefault(make: () => unknown): boolean {
  return constants.has(make)
}
