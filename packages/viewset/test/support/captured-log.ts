/** A logger for Fastify whose lines a test can look at. */
export function capturedLog(level: 'error' | 'warn' = 'error') {
  const lines: Record<string, unknown>[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }
  return { lines, server: { logger: { level, stream } } }
}
