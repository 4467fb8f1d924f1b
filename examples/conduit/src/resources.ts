import { and, eq, sql } from 'drizzle-orm'
import {
  AllowAny,
  ApiError,
  BaseModelSerializer,
  BaseViewSet,
  ComputedOrderingFilter,
  CreateModelMixin,
  compose,
  ExpressionField,
  type FilterBackend,
  findRecords,
  InputField,
  IsAuthenticated,
  IsAuthenticatedOrReadOnly,
  LimitOffsetPaginationWithFormat,
  ListModelMixin,
  ManyStrOnlyField,
  type ModelRecord,
  type Permission,
  queryValue,
  ReadOnlyDataField,
  RetrieveModelMixin,
  type SerializerInput,
  UpdateModelMixin,
  type User,
  userValue,
} from 'viewset'
import * as z from 'zod'
import type { Accounts } from './accounts.ts'
import type { Models } from './models.ts'

const idOf = (user: User | null) => Number(user?.id ?? 0)

/** Everyone reads, and authors change what is theirs. */
const IsAuthorOrReadOnly: Permission<{ author: number }> = {
  hasPermission: IsAuthenticatedOrReadOnly.hasPermission,
  hasObjectPermission: ({ method, user }, { author }) => method === 'GET' || author === idOf(user),
}

/** Conduit's resources by their paths. */
export function conduitResources(tables: Models, accounts: Accounts) {
  const { users, articles, tags, articleTags, favorites, follows, comments } = tables
  const me = userValue(idOf)

  const ProfileSerializer = BaseModelSerializer(users, {
    name: 'Profile',
    fields: ['username', 'bio', 'image'],
    readOnly: ['username', 'bio', 'image'],
    extra: {
      following: ExpressionField({
        expression: sql`exists (select 1 from ${follows} where ${follows.followed} = ${users.id} and ${follows.follower} = ${me})`,
        type: 'boolean',
        notNull: true,
      }),
    },
  })

  const author = ReadOnlyDataField({ queryset: users, serializer: ProfileSerializer })
  const shown = ['slug', 'title', 'description', 'createdAt', 'updatedAt'] as const
  const extra = {
    tagList: ManyStrOnlyField({
      queryset: tags,
      str: 'name',
      through: articleTags,
      ordering: 'name',
      createMissing: true,
    }),
    favorited: ExpressionField({
      expression: sql`exists (select 1 from ${favorites} where ${favorites.article} = ${articles.id} and ${favorites.user} = ${me})`,
      type: 'boolean',
      notNull: true,
    }),
    favoritesCount: ExpressionField({
      expression: sql`(select count(*) from ${favorites} where ${favorites.article} = ${articles.id})`,
      type: 'integer',
      notNull: true,
    }),
    author,
  }
  const readOnly = ['slug'] as const
  const ArticleSerializer = BaseModelSerializer(articles, { fields: [...shown, 'body'], readOnly, extra })
  const ArticleInListSerializer = BaseModelSerializer(articles, {
    name: 'ArticleInList',
    fields: shown,
    readOnly,
    extra,
  })

  const ArticleFilter: FilterBackend = {
    queryParameters: { author: { type: 'string' }, tag: { type: 'string' }, favorited: { type: 'string' } },
    filterQueryset(request, queryset) {
      const [writer, tag, fan] = ['author', 'tag', 'favorited'].map(name => queryValue(request, name))
      const userOf = (name: string) => sql`(select ${users.id} from ${users} where ${users.username} = ${name})`
      return queryset
        .filter(writer === undefined ? undefined : sql`${articles.author} = ${userOf(writer)}`)
        .filter(
          fan === undefined
            ? undefined
            : sql`${articles.id} in (select ${favorites.article} from ${favorites} where ${favorites.user} = ${userOf(fan)})`,
        )
        .filter(
          tag === undefined
            ? undefined
            : sql`${articles.id} in (select ${articleTags.article} from ${articleTags} join ${tags} on ${tags.id} = ${articleTags.tag} where ${tags.name} = ${tag})`,
        )
    },
  }

  class ArticleViewSet extends BaseViewSet({
    model: articles,
    serializer: ArticleSerializer,
    serializers: [ArticleSerializer, ArticleInListSerializer],
    permissionClasses: [IsAuthorOrReadOnly],
    lookupField: 'slug',
    fixedValues: ({ user }) => ({ author: idOf(user) }),
    ordering: ['-createdAt', '-id'],
    filterBackends: [ArticleFilter, ComputedOrderingFilter],
    paginationClass: LimitOffsetPaginationWithFormat,
    actions: {
      favorite: {
        method: 'POST',
        detail: true,
        permissionClasses: [IsAuthenticated],
        handler: async view => {
          const { id } = await view.getObject()
          await view.db
            .insert(favorites)
            .values({ article: id, user: idOf(view.user) })
            .onConflictDoNothing()
          return view.serialize(await view.getObject())
        },
      },
      unfavorite: {
        method: 'DELETE',
        detail: true,
        path: 'favorite',
        permissionClasses: [IsAuthenticated],
        handler: async view => {
          const { id } = await view.getObject()
          await view.db.delete(favorites).where(and(eq(favorites.article, id), eq(favorites.user, idOf(view.user))))
          return view.serialize(await view.getObject())
        },
      },
    },
  }) {
    override getSerializer() {
      return this.action === 'list' ? ArticleInListSerializer : super.getSerializer()
    }

    /** A PUT may leave fields out. */
    override validate(options: { readonly record?: ModelRecord<typeof articles>; readonly partial?: boolean } = {}) {
      return super.validate({ ...options, partial: options.record !== undefined })
    }
  }

  const FeedViewSet = compose(ListModelMixin)({
    model: articles,
    serializer: ArticleInListSerializer,
    permissionClasses: [IsAuthenticated],
    queryset: ({ user }) =>
      sql`${articles.author} in (select ${follows.followed} from ${follows} where ${follows.follower} = ${idOf(user)})`,
    ordering: ['-createdAt', '-id'],
    paginationClass: LimitOffsetPaginationWithFormat,
  })

  const CommentViewSet = BaseViewSet({
    model: comments,
    serializer: BaseModelSerializer(comments, { fields: ['id', 'body', 'createdAt', 'updatedAt'], extra: { author } }),
    permissionClasses: [IsAuthorOrReadOnly],
    parent: { field: 'article', lookupField: 'slug' },
    fixedValues: ({ user }) => ({ author: idOf(user) }),
    ordering: 'id',
  })

  const TagViewSet = compose(ListModelMixin)({
    model: tags,
    serializer: BaseModelSerializer(tags, { fields: ['name'] }),
    permissionClasses: [AllowAny],
    ordering: 'name',
  })

  const ProfileViewSet = compose(RetrieveModelMixin)({
    model: users,
    serializer: ProfileSerializer,
    permissionClasses: [IsAuthenticatedOrReadOnly],
    lookupField: 'username',
    actions: {
      follow: {
        method: 'POST',
        detail: true,
        handler: async view => {
          const { id } = await view.getObject()
          await view.db
            .insert(follows)
            .values({ follower: idOf(view.user), followed: id })
            .onConflictDoNothing()
          return view.serialize(await view.getObject())
        },
      },
      unfollow: {
        method: 'DELETE',
        detail: true,
        path: 'follow',
        handler: async view => {
          const { id } = await view.getObject()
          await view.db.delete(follows).where(and(eq(follows.follower, idOf(view.user)), eq(follows.followed, id)))
          return view.serialize(await view.getObject())
        },
      },
    },
  })

  const Filled = z.string().min(1, "can't be blank")
  const UserSerializer = BaseModelSerializer(users, {
    fields: ['username', 'email', 'bio', 'image'],
    extra: { password: InputField(Filled.min(8)) },
  })
  type UserInput = SerializerInput<typeof UserSerializer>
  type Account = ModelRecord<typeof users>

  /** The columns of an account: an empty text is no text, and only the hash of a password is stored. */
  const columnsOf = async ({ password, ...values }: UserInput) => ({
    ...values,
    ...(values.bio === '' && { bio: null }),
    ...(values.image === '' && { image: null }),
    ...(password !== undefined && { passwordHash: await accounts.stored(password) }),
  })

  class UserViewSet extends compose(CreateModelMixin)({
    model: users,
    serializer: UserSerializer,
    permissionClasses: [AllowAny],
    actions: {
      login: {
        method: 'POST',
        detail: false,
        input: z.object({ email: Filled, password: Filled }),
        handler: async (view, { email, password }) => {
          const [user] = await findRecords(users, eq(users.email, email))
          if (user && (await accounts.matches(password, user.passwordHash))) return view.serialize(user)
          throw new ApiError(401, 'invalid_credentials', 'invalid')
        },
      },
    },
  }) {
    override async performCreate(values: UserInput) {
      return super.performCreate(await columnsOf(values))
    }

    override async serialize(user: Account) {
      return { ...(await super.serialize(user)), token: await accounts.tokenOf(user.id) }
    }
  }

  class CurrentUserViewSet extends compose(
    RetrieveModelMixin,
    UpdateModelMixin,
  )({
    model: users,
    serializer: UserSerializer,
    permissionClasses: [IsAuthenticated],
    singleton: true,
    queryset: ({ user }) => eq(users.id, idOf(user)),
  }) {
    override validate(options: { readonly record?: Account; readonly partial?: boolean } = {}) {
      return super.validate({ ...options, partial: true })
    }

    override async performUpdate(user: Account, values: UserInput) {
      return super.performUpdate(user, await columnsOf(values))
    }

    override async serialize(user: Account) {
      return { ...(await super.serialize(user)), token: await accounts.tokenOf(user.id) }
    }
  }

  return {
    articles: ArticleViewSet,
    'articles/feed': FeedViewSet,
    'articles/:article/comments': CommentViewSet,
    profiles: ProfileViewSet,
    tags: TagViewSet,
    users: UserViewSet,
    user: CurrentUserViewSet,
  }
}
