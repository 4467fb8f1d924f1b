import { type FieldErrors, NON_FIELD_ERRORS, PermissionDenied, ValidationError } from '../core/errors.ts'
import { OUTSIDE_OF_QUERYSET, outsideOf } from '../records/check-scope.ts'
import type { GenericViewSet } from './generic-viewset.ts'

/**
 * Refuses new records outside of the resource's queryset, by one statement for all of them, in the transaction that has
 * stored them (CONTRACT, "Writing"). `place` tells where the record at an index stands in a bulk request.
 *
 * @throws ValidationError, which undoes the write.
 */
export async function checkCreated(
  view: GenericViewSet,
  keys: () => readonly unknown[],
  place: (index: number) => string = () => '',
): Promise<void> {
  if (view.config.checkScope === 'never') return
  const errors: FieldErrors = {}
  for (const index of await outsideOf(await view.getQueryset(), keys)) {
    errors[place(index) + NON_FIELD_ERRORS] = [OUTSIDE_OF_QUERYSET]
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors)
}

/** Like {@link checkCreated}, for updates, of which only some resources ask it. @throws PermissionDenied */
export async function checkUpdated(view: GenericViewSet, keys: () => readonly unknown[]): Promise<void> {
  if (view.config.checkScope !== 'always') return
  if ((await outsideOf(await view.getQueryset(), keys)).length > 0) throw new PermissionDenied(OUTSIDE_OF_QUERYSET)
}
