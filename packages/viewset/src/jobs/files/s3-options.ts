import { ConfigError } from '../../core/errors.ts'
import { checkOptions, setting } from '../../core/setting-rules.ts'
import { missingPackages } from '../../tabular/errors.ts'

/** A pair of keys, with the names of AWS's library. */
export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** Options of {@link s3}. */
export interface S3Options {
  readonly bucket: string
  /** A prefix of all keys, for a bucket with other files: `viewset/`. Default: none. */
  readonly prefix?: string
  /** Default: `AWS_REGION` and the other sources of AWS's library; with an `endpoint`, `us-east-1`. */
  readonly region?: string
  /** The URL of a store other than AWS: `https://minio.example.org:9000`. */
  readonly endpoint?: string
  /** Whether URLs contain the bucket in the path instead of the host. Default: with an `endpoint`. */
  readonly pathStyle?: boolean
  /** Default: the environment, the machine's role and the other sources of AWS's library. */
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
