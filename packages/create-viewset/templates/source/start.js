// This file is JavaScript, so that a Node that cannot run TypeScript says so in a sentence.
if (process.features.typescript) {
  // Before anything imports Drizzle: a start takes half the time and memory.
  await import('viewset/fast-drizzle')
  await import('./src/main.ts')
} else {
  console.error(`This needs Node 22.18 or newer, which runs TypeScript as it is; yours is ${process.version}.`)
  process.exitCode = 1
}
