import * as nodeModule from 'node:module'

const { registerHooks } = nodeModule

/**
 * Whether this Node reads Drizzle from its CommonJS files from now on. A Node that has no hooks for that (before 22.15)
 * goes on as before, as do Bun and Deno.
 *
 * For each ES module that it loads, Node reads and parses the whole `package.json` around it, and Drizzle's has 179 kB:
 * `import { eq } from 'drizzle-orm'` takes 0.3 s and 130 MB of a start. Its CommonJS files are the same code.
 *
 * @example
 * // node --import viewset/fast-drizzle app.js
 */
export const isDrizzleFast: boolean = typeof registerHooks === 'function' && !process.versions.bun

if (isDrizzleFast) {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      if (!/^drizzle-orm(\/|$)/.test(specifier)) return nextResolve(specifier, context)
      const conditions = context.conditions.map(condition => (condition === 'import' ? 'require' : condition))
      return nextResolve(specifier, { ...context, conditions })
    },
  })
}
