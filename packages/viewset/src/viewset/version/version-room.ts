import { setting } from '../../core/setting-rules.ts'
import { defineRoom } from '../room.ts'
import { describeVersion } from './version-description.ts'
import { versionKey } from './version-key.ts'
import { versionSeams } from './version-seams.ts'
import { versionOf } from './version-setting.ts'

/** Optimistic concurrency: the version of a record, which its changes must name. */
export const versionRoom = defineRoom(versionKey, {
  settings: {
    version: setting.text,
    requireIfMatch: setting.boolean,
    appendEtags: setting.boolean,
    cacheControl: setting.text,
  },
  attach({ subject, model, config }) {
    const version = versionOf(subject, model, config)
    if (!version) return undefined
    return { state: version, ...versionSeams(version, config), describes: route => describeVersion(config, route) }
  },
})
