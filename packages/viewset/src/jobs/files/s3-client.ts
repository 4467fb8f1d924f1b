import { S3Client } from '@aws-sdk/client-s3'
import type { S3Options } from './s3-options.ts'

/** Milliseconds. Without limits, a store that says nothing would hold a job for ever. */
const LIMITS = { connectionTimeout: 5_000, socketTimeout: 60_000 }

export function s3Client({ region, endpoint, pathStyle, credentials }: S3Options): S3Client {
  const isOfOthers = endpoint !== undefined
  return new S3Client({
    requestHandler: LIMITS,
    forcePathStyle: pathStyle ?? isOfOthers,
    ...(region !== undefined && { region }),
    ...(credentials && { credentials }),
    // Such stores need no region, but a signature names one; and not all of them know the checksums that are sent by
    // default.
    ...(isOfOthers && {
      endpoint,
      region: region ?? 'us-east-1',
      requestChecksumCalculation: 'WHEN_REQUIRED' as const,
    }),
  })
}
