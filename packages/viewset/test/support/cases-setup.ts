import { configureCases } from './cases.ts'

configureCases()
