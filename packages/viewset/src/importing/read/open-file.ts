import { ValidationError } from '../../core/errors.ts'
import { type Message, message } from '../../core/messages/message.ts'
import { shorten } from '../../core/text.ts'
import { encodingNamed } from '../../tabular/read/csv-encoding.ts'
import type { ReadFile, ReadSheet } from '../../tabular/read/file.ts'
import type { ReadLimits } from '../../tabular/read/limits.ts'
import { openTabular } from '../../tabular/read/open.ts'
import { withoutBase } from '../edit/base-sheet.ts'
import type { ImportOptions, ImportValues, ReadingOptions } from '../options.ts'
import type { ImportPlan } from '../plan/plan.ts'
import { withValues } from './cell-values.ts'
import { withExamples } from './example-row.ts'
import { type HeaderSearch, withHeaders } from './find-header.ts'

/** The options that decide where the header is. */
export type OpenedWith = Omit<ReadingOptions, 'values'> & Pick<ImportOptions, 'signal'>

export interface OpenedFile extends ReadFile {
  /** The base of a file for editing, which is not among its sheets. */
  readonly base?: ReadSheet
}

/** What is read of a file. */
export interface OpenedPart {
  /** Rows of each sheet. Default: all. */
  readonly firstRows?: number | undefined
  /** Values of cells, for an import: a preview and a file of failed rows show the cells of the file. */
  readonly values?: ImportValues | undefined
}

interface Opening extends Pick<HeaderSearch, 'readers' | 'aliases' | 'configuredRow'>, Pick<ImportPlan, 'formats'> {
  readonly usualEncoding: string | undefined
  readonly limits: ReadLimits
}

/** The problem of a name that no encoding has. */
export function unknownEncoding(encoding: string): Message {
  return message('invalid_encoding', { encoding: shorten(encoding), example: 'windows-1251' })
}

/** Opens a file and finds the header of each sheet. Close it. @throws as `openTabular` */
export async function openFile(
  path: string,
  { formats, limits, usualEncoding, ...where }: Opening,
  { signal, mapping, headerRow, encoding }: OpenedWith,
  { firstRows, values }: OpenedPart,
): Promise<OpenedFile> {
  if (encoding !== undefined && encodingNamed(encoding) === undefined) {
    throw new ValidationError({ encoding: [unknownEncoding(encoding)] })
  }
  const more = { ...(signal && { signal }), ...(firstRows !== undefined && { firstRows }) }
  const opened = await openTabular(path, { formats, limits, encoding, usualEncoding, ...more })
  const { file, base } = withoutBase(opened)
  try {
    // The base says where an edited file has its header.
    if (base) return { ...file, base }
    return withValues(withHeaders(await withExamples(file), { ...where, mapping, headerRow }), values)
  } catch (error) {
    await file.close()
    throw error
  }
}
