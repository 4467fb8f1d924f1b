import { ALL_CASES, describeAdvice } from '../support/advice-rules.ts'

describeAdvice(ALL_CASES)
