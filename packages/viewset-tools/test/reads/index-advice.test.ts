import { describeAdvice, SOME_CASES } from '../support/advice-rules.ts'

describeAdvice(SOME_CASES)
