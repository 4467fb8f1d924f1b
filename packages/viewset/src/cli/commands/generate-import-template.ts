import { pipeline } from 'node:stream/promises'
import type { Importer } from '../../viewset/files/importer.ts'
import { FileImportMixin } from '../../viewset/mixins/file-import-mixin.ts'
import { CliError } from '../cli-error.ts'
import type { ViewsetConfig } from '../config.ts'
import { findResource } from '../find-resource.ts'
import { type OutputOptions, writeFile } from '../write-file.ts'

export interface TemplateOptions extends OutputOptions {
  readonly format: string
  /** A path, or `-` for standard output. Default: a file in `cwd` with the resource's name. */
  readonly output?: string | undefined
}

/**
 * Writes the template of a resource's import.
 *
 * @returns the text to print: the path of the file, and notes about it
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
  // A command has no user whose records an example could refer to, so it does not open the database.
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

export const IMPORTS = {
  mixin: FileImportMixin,
  lacking: 'imports no files; make it with ImportableViewSet or FileImportMixin',
}

function importerNamed(resources: ViewsetConfig['resources'], name: string): Importer {
  const { resource, mixin } = findResource(resources, name, IMPORTS)
  const { definition } = resource
  return mixin.own(definition)(definition.config.serializer)
}
