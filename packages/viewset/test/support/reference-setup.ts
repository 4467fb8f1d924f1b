import { updateReference } from '../../../../scripts/reference.ts'

/** The reference is no part of the repository, and pages link to it. */
export const setup = updateReference
