// drizzle-kit reads this file to write migrations.
import { kit } from 'viewset/sqlite'
import { models } from './models.ts'

export const { users, articles, tags, articleTags, favorites, follows, comments } = models(kit)
