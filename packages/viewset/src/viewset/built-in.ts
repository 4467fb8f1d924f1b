import { composeWith } from './compose.ts'
import { parentRoom } from './parent/parent-room.ts'
import { choiceRoom } from './reading/choice-room.ts'
import { softDeleteRoom } from './soft-delete/soft-delete-room.ts'
import { tenantRoom } from './tenant/tenant-room.ts'
import { versionRoom } from './version/version-room.ts'

/**
 * Makes a kind of ViewSet from action mixins. Its resources have the actions of these mixins and no others. The
 * methods of a mixin override those of mixins before it, which `super` calls.
 *
 * @throws ConfigError for two unrelated mixins with a method of the same name
 * @example
 * const FeedViewSet = compose(ListModelMixin, CreateModelMixin)({
 *   model: articles, serializer: ArticleSerializer, permissionClasses: [AllowAny],
 * })
 */
export const compose = composeWith([versionRoom, tenantRoom, softDeleteRoom, parentRoom, choiceRoom])
