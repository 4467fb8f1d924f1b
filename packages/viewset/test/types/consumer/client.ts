// A client that an application exports, with no type written by hand.
import { ClientError, createClient, type Page } from 'viewset/client'
import type { resources } from './viewsets.js'

export const client = createClient<typeof resources>({ baseUrl: 'https://shop.example/api' })
export const articles = () => client.ArticleViewSet.list({ ordering: '-length' })
export const allArticles = () => client.ArticleViewSet.all()
export const create = client.ArticleViewSet.create
export const publish = (id: string) => client.ArticleViewSet.actionsOf(id).publish.post({ at: '2026-01-01' })
export const plain = () => client.Plain.retrieve(1)
export const file = () => client.Lite.export({ file_type: 'xlsx' })
export const load = (bytes: Blob) => client.ArticleViewSet.importFile(bytes, { append_data: true })
export const raw = () => client.$request('GET', '/Authors/stamped/')
export const first = <T>({ items }: Page<T>) => items[0]
export const told = (error: unknown) => (error instanceof ClientError ? error.errors : undefined)
