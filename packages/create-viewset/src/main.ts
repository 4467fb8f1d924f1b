#!/usr/bin/env node
// This file imports nothing before the check, so that an old Node reaches the message below.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 22 || (major === 22 && minor >= 18)) {
  const { main } = await import('./start.ts')
  await main()
} else {
  console.error(`create-viewset needs Node 22.18 or newer, which runs TypeScript as it is; this is ${process.version}.`)
  process.exitCode = 1
}
