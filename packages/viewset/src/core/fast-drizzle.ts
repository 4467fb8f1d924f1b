import * as nodeModule from 'node:module'

const { registerHooks } = nodeModule

/**
 * Whether this Node loads Drizzle from its CommonJS files from now on. A Node without module hooks (before 22.15), Bun
 * and Deno load it as before.
 *
 * For each ES module, Node reads and parses the `package.json` around it. Drizzle's has 179 kB: `import { eq } from
 * 'drizzle-orm'` takes 0.3 s and 130 MB of a start. Its CommonJS files are the same code.
 *
 * @example
 * node --import viewset/fast-drizzle app.js
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
