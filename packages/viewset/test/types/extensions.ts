// What third parties add by declaration merging: support/touch-model-mixin.ts adds a mixin and a property of users.
import {
  AllowAny,
  BaseModelSerializer,
  type ColumnKit,
  compose,
  currentUser,
  ListModelMixin,
  type ModelRecord,
  ReadOnlyViewSet,
} from 'viewset'
import { models } from '../support/models.ts'
import { TouchModelMixin } from '../support/touch-model-mixin.ts'

declare const kit: ColumnKit
const { authors, categories } = models(kit)
const common = {
  model: authors,
  serializer: BaseModelSerializer(authors, { fields: ['id', 'name'] }),
  permissionClasses: [AllowAny],
}

class Touchable extends compose(ListModelMixin, TouchModelMixin)({ ...common, touchAnswer: 'thanks' }) {
  override async performTouch(record: ModelRecord<typeof authors>) {
    record.name satisfies string
    await super.performTouch(record)
  }
}
declare const view: Touchable
view.touch() satisfies Promise<string>

// @ts-expect-error the type of the mixin's setting
compose(TouchModelMixin)({ ...common, touchAnswer: 5 })
// @ts-expect-error touchAnswer needs TouchModelMixin
ReadOnlyViewSet({ ...common, touchAnswer: 'thanks' })
class _Wrong extends compose(TouchModelMixin)(common) {
  // @ts-expect-error performTouch is given an author
  override async performTouch(_record: ModelRecord<typeof categories>) {}
}

currentUser()?.tenant satisfies string | undefined
// @ts-expect-error nobody has added this one
currentUser()?.tenancy
