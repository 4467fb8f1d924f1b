import type { JsonSchema } from '../../kinds/json-schema.ts'
import type { PermissionClass } from '../../viewset/permissions.ts'

/** Options of an API's OpenAPI document. */
export interface OpenApiOptions {
  /** The permissions for reading it. Default `[AllowAny]`. */
  readonly permissionClasses?: readonly PermissionClass[]
  /** The title, version and contact of the API. Default: `API`, version `1.0.0`. */
  readonly info?: OpenApiInfo
  /**
   * Further error statuses from other parts of the application, with their meaning: `{ 429: 'Too many requests.' }` for
   * a rate limit.
   */
  readonly errors?: Readonly<Record<number, string>>
  /**
   * Changes the finished document. It has no `servers` yet; those that the function returns replace the requested
   * address.
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

/** An OpenAPI 3.1 document. Operations and schemas are plain objects. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly info: OpenApiInfo & { readonly title: string; readonly version: string }
  readonly servers?: readonly { readonly url: string; readonly description?: string }[]
  readonly tags: readonly JsonSchema[]
  /** Operations by path and method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>
}
