import type { Database } from '../store/database.ts'

/** A count that is running, and the one that will follow it for whoever has asked since. */
interface Flight {
  readonly running: Promise<number>
  next: Promise<number> | undefined
}

const flights = new WeakMap<Database, Map<string, Flight>>()

/**
 * Counts once for all who wait for the same count. A count that has already begun may not know what was written since, so
 * nobody joins it but the one that begins after it. Inside a transaction a count sees what nobody else does, and is not
 * to be shared.
 */
export function shareCount(database: Database, key: string, count: () => Promise<number>): Promise<number> {
  const known = flights.get(database) ?? new Map<string, Flight>()
  flights.set(database, known)
  const flight = known.get(key)
  if (!flight) return startFlight(known, key, count)
  // What the count before comes to, also its failure, is no business of the next one.
  flight.next ??= flight.running.then(
    () => startFlight(known, key, count),
    () => startFlight(known, key, count),
  )
  return flight.next
}

function startFlight(known: Map<string, Flight>, key: string, count: () => Promise<number>): Promise<number> {
  const flight: Flight = { running: count(), next: undefined }
  known.set(key, flight)
  const land = () => {
    if (!flight.next) known.delete(key)
  }
  flight.running.then(land, land)
  return flight.running
}
