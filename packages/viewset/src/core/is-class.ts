/**
 * Whether a value is a class, of which an object has to be made before it can be asked. Only a class has a `prototype`
 * that cannot be set: a function's can, an arrow function has none.
 */
export function isClass(value: unknown): value is new (...args: never[]) => unknown {
  return typeof value === 'function' && Object.getOwnPropertyDescriptor(value, 'prototype')?.writable === false
}
