import { checkOptions, type SettingRules, setting } from '../../core/setting-rules.ts'
import type { ResourceDescription, RouteDescription } from './route-description.ts'

const OF_ACTION: Readonly<Record<keyof RouteDescription, SettingRules[string]>> = {
  summary: setting.text,
  description: setting.text,
  deprecated: setting.boolean,
  query: setting.object,
  headers: setting.object,
  answerHeaders: setting.object,
  body: setting.object,
  bodyOptional: setting.boolean,
  bodyType: setting.text,
  data: setting.object,
  extra: setting.object,
  pages: setting.object,
  fileTypes: setting.list,
  events: setting.boolean,
  partly: setting.object,
  partlyFileTypes: setting.list,
  accepted: setting.object,
  errors: setting.refusals,
}

const OF_RESOURCE: Readonly<Record<keyof ResourceDescription, SettingRules[string]>> = {
  label: setting.text,
  description: setting.text,
  deprecated: setting.boolean,
  record: setting.object,
  actions: setting.object,
}

export function checkActionDescription(subject: string, describes: Partial<RouteDescription> = {}): void {
  checkOptions(subject, OF_ACTION, describes)
}

export function checkResourceDescription(subject: string, describes: ResourceDescription = {}): void {
  checkOptions(`${subject}: describes`, OF_RESOURCE, describes)
  for (const [action, said] of Object.entries(describes.actions ?? {})) {
    checkActionDescription(`${subject}: describes.actions.${action}`, said)
  }
}
