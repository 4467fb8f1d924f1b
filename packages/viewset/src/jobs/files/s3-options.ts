import { ConfigError } from '../../core/errors.ts'
import { checkOptions, setting } from '../../core/setting-rules.ts'
import { missingPackages } from '../../tabular/errors.ts'

/** The names that AWS's library gives to a pair of keys. */
export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** Options of {@link s3}. */
export interface S3Options {
  readonly bucket: string
  /** Stands before each key, where the bucket has other files as well: `viewset/`. Default: nothing. */
  readonly prefix?: string
  /** Default: `AWS_REGION` and what else AWS's library looks at; with an `endpoint`, `us-east-1`. */
  readonly region?: string
  /** The address of a store that is not AWS's own: `https://minio.example.org:9000`. */
  readonly endpoint?: string
  /** Whether the bucket stands in the path of addresses and not in their host. Default: with an `endpoint`. */
  readonly pathStyle?: boolean
  /** Default: the environment, the machine's role and what else AWS's library looks at. */
  readonly credentials?: S3Credentials | (() => Promise<S3Credentials>)
}

const RULES = {
  bucket: setting.text,
  prefix: setting.text,
  region: setting.text,
  endpoint: setting.text,
  pathStyle: setting.boolean,
  credentials: setting.any,
}

const PACKAGES = ['@aws-sdk/client-s3', '@aws-sdk/lib-storage']

/** @throws ConfigError */
export function checkS3Options(options: S3Options): void {
  checkOptions('s3', RULES, options)
  const { bucket, endpoint } = options
  if (!bucket) throw new ConfigError('s3', 'bucket', 'name the bucket that the files are kept in')
  if (endpoint !== undefined && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? '')) {
    throw new ConfigError('s3', 'endpoint', 'must be an address such as "https://minio.example.org:9000"')
  }
  const missing = missingPackages(PACKAGES)
  if (missing.length > 0) {
    throw new ConfigError('s3', 'bucket', `needs packages that are not installed: npm install ${missing.join(' ')}`)
  }
}
