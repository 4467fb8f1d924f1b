import { type FieldErrors, NON_FIELD_ERRORS, PermissionDenied, ValidationError } from '../core/errors.ts'
import { OUTSIDE_OF_QUERYSET, outsideOf } from '../records/write-many.ts'
import type { GenericViewSet } from './generic-viewset.ts'

/** `place` returns the place of a record in a bulk request, for the errors. */
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

/** Like {@link checkCreated} for updates, if `checkScope` is `'always'`. @throws PermissionDenied */
export async function checkUpdated(view: GenericViewSet, keys: () => readonly unknown[]): Promise<void> {
  if (view.config.checkScope !== 'always') return
  if ((await outsideOf(await view.getQueryset(), keys)).length > 0) throw new PermissionDenied(OUTSIDE_OF_QUERYSET)
}
