import type { NextConfig } from 'next'

const config: NextConfig = {
  // Next would remove the slash at the end of the API's addresses.
  skipTrailingSlashRedirect: true,
  // No bundling: better-sqlite3 has a binary, and viewset makes PDFs in a worker.
  serverExternalPackages: ['viewset', 'better-sqlite3'],
}

export default config
