export { describeFaces } from './describe-faces.ts'
export type { Face, FaceOptions, FaceServer, TestRunner } from './face.ts'
