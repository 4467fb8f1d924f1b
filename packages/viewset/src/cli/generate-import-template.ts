import { pipeline } from 'node:stream/promises'
import { suggestion } from '../core/suggestion.ts'
import type { Importer } from '../viewset/import/importer.ts'
import type { Mixin } from '../viewset/mixin.ts'
import { FileImportMixin } from '../viewset/mixins/file-import-mixin.ts'
import type { ResourceDefinition } from '../viewset/resource.ts'
import { CliError } from './cli-error.ts'
import type { ViewsetConfig } from './config.ts'
import { type OutputOptions, writeFile } from './write-file.ts'

export interface TemplateOptions extends OutputOptions {
  /** `csv` or `xlsx`. */
  readonly format: string
  /** A path, or `-` for standard output; by default a file in `cwd` that is named after the resource. */
  readonly output?: string | undefined
}

/**
 * Writes the template of a resource's import (SPEC, `generate_import_template`).
 *
 * @returns what to tell about it: where the file is, and what to mind
 * @throws CliError
 */
export async function generateImportTemplate(
  { resources }: ViewsetConfig,
  name: string,
  { format, output, ...target }: TemplateOptions,
): Promise<string> {
  if (format !== 'csv' && format !== 'xlsx') {
    throw new CliError(`--format ${format}: a template is written as csv or xlsx`, 2)
  }
  const importer = importerNamed(resources, name)
  // Without a request there is no user whose records an example could refer to, so no database is asked.
  const { file, extension } = await importer.template(format)
  if (output === '-') {
    await pipeline(file, process.stdout, { end: false })
    return ''
  }
  const path = await writeFile(file, output ?? `${name}_template.${extension}`, target)
  const { formats } = importer.service.plan
  const isTaken = formats.some(taken => taken === format)
  return isTaken ? path : `${path}\nNote that ${name} imports ${formats.join(', ')} only.`
}

/** Classes, by the name that they are exported under or that they have themselves. */
function importerNamed(resources: ViewsetConfig['resources'], name: string): Importer {
  const classes = Object.entries(resources).filter((entry): entry is [string, ResourceLike] => isResource(entry[1]))
  const [, found] = classes.find(([key]) => key === name) ?? classes.find(([, own]) => own.name === name) ?? []
  const importable = classes.filter(([, own]) => importMixinOf(own) !== undefined).map(([key]) => key)
  if (!found) throw new CliError(`There is no resource "${name}"${suggestion(name, importable)}`)
  const importers = importMixinOf(found)?.own(found.definition)
  if (!importers) {
    const problem = `${name} imports no files; make it with ImportableViewSet or FileImportMixin`
    throw new CliError(`${problem}. Others do: ${importable.join(', ') || 'none'}.`)
  }
  return importers(found.definition.config.serializer)
}

/** A resource's class, whichever copy of this package it was made with. */
interface ResourceLike {
  readonly name: string
  readonly mixins: readonly Mixin[]
  readonly definition: ResourceDefinition
}

/** By its name: the mixin of another copy of this package is another object. */
function importMixinOf({ mixins }: ResourceLike): typeof FileImportMixin | undefined {
  return mixins.find((mixin): mixin is typeof FileImportMixin => mixin.name === FileImportMixin.name)
}

function isResource(value: unknown): value is ResourceLike {
  return typeof value === 'function' && typeof (value as Partial<ResourceLike>).definition === 'object'
}
