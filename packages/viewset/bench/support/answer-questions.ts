import { forgetPeak, peakMemory } from './memory.ts'
import { OwnProfile } from './own-profile.ts'
import type { TimeParts } from './profile-parts.ts'

/** What a program is asked: `work` has it do what is measured, `profile` begins a CPU profile and `parts` ends it. */
export type Question = 'usage' | 'work' | 'profile' | 'parts'

export interface Usage {
  /** CPU time, user and system, that the process has used so far. */
  readonly microseconds: number
  /** The most memory that it has held since it was ready; bytes. */
  readonly peak: number
}

export interface Answer {
  /** Of a server, when it is ready. */
  readonly port?: number
  readonly usage?: Usage
  readonly parts?: TimeParts
}

/** Says that this process is ready, and answers what the benchmark asks until that ends. */
export function answerQuestions(ready: Answer, work?: () => Promise<unknown>): void {
  const profile = new OwnProfile()
  const answers: { readonly [Q in Question]: () => Answer | Promise<Answer> } = {
    usage: () => ({ usage: usage() }),
    work: async () => {
      await work?.()
      return { usage: usage() }
    },
    profile: async () => {
      await profile.begin()
      return {}
    },
    parts: async () => ({ parts: await profile.end() }),
  }
  process.on('message', async (question: Question) => process.send?.(await answers[question]()))
  // However the benchmark ends, its programs end with it.
  process.on('disconnect', () => process.exit())
  forgetPeak()
  process.send?.(ready)
}

function usage(): Usage {
  const { user, system } = process.cpuUsage()
  return { microseconds: user + system, peak: peakMemory() }
}
