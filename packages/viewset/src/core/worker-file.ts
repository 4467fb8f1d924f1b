/**
 * The module of a thread, named as the built package names it: `new URL('./worker.js', import.meta.url)`. The package's
 * files end in .js, the sources run as they are.
 */
export function workerFile(file: URL): URL {
  return import.meta.url.endsWith('.ts') ? new URL(file.href.replace(/js$/, 'ts')) : file
}
