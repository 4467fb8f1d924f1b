/** The option of Node under which the package is its sources. */
export const CONDITIONS = '--conditions=viewset-source'

/** With what a program starts as docs/deployment.md starts one, in half of the time. */
export const START_OPTIONS = [CONDITIONS, '--import', 'viewset/fast-drizzle'] as const
