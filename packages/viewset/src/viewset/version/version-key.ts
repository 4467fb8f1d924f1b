import { roomKey } from '../room-key.ts'
import type { ResourceVersion } from '../seams.ts'

export const versionKey = roomKey<ResourceVersion>('version')
