import { readdirSync, readFileSync } from 'node:fs'
import { residentMemory } from './memory.ts'

// What a process and those that it has started use; only Linux tells.

/** CPU time so far, in microseconds, of all threads that are alive. */
export function familyCpu(processId: number): number {
  let nanoseconds = 0
  for (const member of family(processId)) {
    for (const thread of list(`/proc/${member}/task`)) {
      nanoseconds += Number(read(`/proc/${member}/task/${thread}/schedstat`).split(' ')[0])
    }
  }
  return nanoseconds / 1_000
}

/** Resident memory in bytes. */
export function familyMemory(processId: number): number {
  return family(processId).reduce((sum, member) => sum + residentMemory(member), 0)
}

function family(processId: number): readonly number[] {
  const children = list(`/proc/${processId}/task`).flatMap(thread =>
    read(`/proc/${processId}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  )
  return [processId, ...children.flatMap(family)]
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Empty for a process that has just ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
