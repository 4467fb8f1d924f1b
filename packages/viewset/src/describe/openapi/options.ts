import type { JsonSchema } from '../../kinds/json-schema.ts'
import type { PermissionClass } from '../../viewset/permissions.ts'

/** What the document of an API says beside what the API says of itself. */
export interface OpenApiOptions {
  /** Who may read it. Default `[AllowAny]`. */
  readonly permissionClasses?: readonly PermissionClass[]
  /** What the API is called, which version it has, who answers for it. Default: `API`, version `1.0.0`. */
  readonly info?: OpenApiInfo
  /**
   * Statuses that any request may be refused with by other parts of the application, and what they mean:
   * `{ 429: 'Too many requests.' }` for a limit of requests.
   */
  readonly errors?: Readonly<Record<number, string>>
  /**
   * The last word: whatever the document shall say otherwise. It gets a document without `servers`; those that it
   * returns stand in place of the address that a request has asked.
   */
  readonly change?: (document: OpenApiDocument) => OpenApiDocument
}

/** `info` of the document (OpenAPI 3.1, "Info Object"). */
export interface OpenApiInfo {
  readonly title?: string
  readonly version?: string
  readonly summary?: string
  /** Markdown. */
  readonly description?: string
  readonly termsOfService?: string
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string }
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string }
}

/** A document of OpenAPI 3.1; operations and schemas are plain objects. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly info: OpenApiInfo & { readonly title: string; readonly version: string }
  readonly servers?: readonly { readonly url: string; readonly description?: string }[]
  readonly tags: readonly JsonSchema[]
  /** Operations by path and method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>
}
