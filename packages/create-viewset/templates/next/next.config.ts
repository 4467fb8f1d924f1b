import type { NextConfig } from 'next'

const config: NextConfig = {
  // The API's addresses end with a slash, which Next would take away.
  skipTrailingSlashRedirect: true,
  // They stay as they are installed: better-sqlite3 is no JavaScript alone, and viewset makes PDFs in a worker.
  serverExternalPackages: ['viewset', 'better-sqlite3'],
}

export default config
