import { setting } from '../../core/setting-rules.ts'
import { defineRoom } from '../room.ts'
import { choiceKey, choiceOf } from './choice-setting.ts'

/** What a client may choose of the records that it reads: fields by `?fields=`, whole related records by `?expand=`. */
export const choiceRoom = defineRoom(choiceKey, {
  settings: { sparseFields: setting.boolean, expandableFields: setting.object },
  attach({ subject, config }) {
    const choice = choiceOf(subject, config)
    return choice && { state: choice }
  },
})
