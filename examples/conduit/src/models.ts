import type { ColumnKit } from 'viewset'

/** Conduit's tables, for the database of the kit. */
export function models(c: ColumnKit) {
  const users = c.table('users', {
    id: c.integer().primaryKey(),
    username: c.text(50).notNull().unique(),
    email: c.text(200).notNull().unique(),
    passwordHash: c.text(200).notNull(),
    bio: c.text({ allowBlank: true }),
    image: c.text({ allowBlank: true }),
  })
  const articles = c.table(
    'articles',
    {
      id: c.integer().primaryKey(),
      ...c.SlugMixin({ from: 'title', length: 220, ifTaken: 'extend' }),
      title: c.text(200).notNull(),
      description: c.text().notNull(),
      body: c.text().notNull(),
      author: c.foreignKey(users, { onDelete: 'cascade' }).notNull(),
      ...c.TimeStampMixin(),
    },
    t => [c.unique(t.slug), c.index(t.author)],
  )
  const tags = c.table('tags', { id: c.integer().primaryKey(), name: c.text(100).notNull().unique() })
  const articleTags = c.table(
    'article_tags',
    {
      id: c.integer().primaryKey(),
      article: c.foreignKey(articles, { onDelete: 'cascade' }).notNull(),
      tag: c.foreignKey(tags, { onDelete: 'cascade' }).notNull(),
    },
    t => [c.unique(t.article, t.tag)],
  )
  const favorites = c.table(
    'favorites',
    {
      id: c.integer().primaryKey(),
      article: c.foreignKey(articles, { onDelete: 'cascade' }).notNull(),
      user: c.foreignKey(users, { onDelete: 'cascade' }).notNull(),
    },
    t => [c.unique(t.article, t.user)],
  )
  const follows = c.table(
    'follows',
    {
      id: c.integer().primaryKey(),
      follower: c.foreignKey(users, { onDelete: 'cascade' }).notNull(),
      followed: c.foreignKey(users, { onDelete: 'cascade' }).notNull(),
    },
    t => [c.unique(t.follower, t.followed)],
  )
  const comments = c.table('comments', {
    id: c.integer().primaryKey(),
    body: c.text().notNull(),
    article: c.foreignKey(articles, { onDelete: 'cascade' }).notNull(),
    author: c.foreignKey(users, { onDelete: 'cascade' }).notNull(),
    ...c.TimeStampMixin(),
  })
  return { users, articles, tags, articleTags, favorites, follows, comments }
}

export type Models = ReturnType<typeof models>
