import { ValidationError } from '../../core/errors.ts'
import { type ApiRequest, queryValue } from '../../core/request.ts'
import type { ImportPlan } from '../../importing/plan/plan.ts'
import { type TemplateFormat, templateFormats } from '../../importing/template/template.ts'

export function readTemplateFormat(request: ApiRequest, plan: ImportPlan): TemplateFormat {
  const asked = queryValue(request, 'file_type')
  const formats = templateFormats(plan)
  if (asked === undefined) return formats[0]
  const format = formats.find(candidate => candidate === asked)
  if (format !== undefined) return format
  throw new ValidationError(
    { file_type: [`"${asked.slice(0, 20)}" is not a valid choice. Choose one of: ${formats.join(', ')}.`] },
    'A query parameter is not valid.',
  )
}
