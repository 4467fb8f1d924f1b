// This file is JavaScript, so that a Node that cannot run TypeScript says so in a sentence.
if (process.features.typescript) {
  await import('./src/main.ts')
} else {
  console.error(`This needs Node 22.18 or newer, which runs TypeScript as it is; yours is ${process.version}.`)
  process.exitCode = 1
}
