/**
 * Who makes a request. `authenticate` returns it; permissions read it; its `id` becomes `created_by` and `updated_by`.
 *
 * Add your own properties by declaration merging: `declare module 'viewset' { interface User { tenantId: string } }`.
 */
export interface User {
  readonly id: string | number
  readonly roles?: readonly string[]
}
