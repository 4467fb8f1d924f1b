import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { ImportService } from 'viewset'
import { createAtlas } from '../../src/app.ts'
import type { AtlasDatabase } from '../../src/database.ts'
import { imports } from '../../src/imports.ts'
import { models } from '../../src/models.ts'

export const tokens = { admin: 'token-of-admin', reader: 'token-of-reader' }

const towns = Array.from({ length: 24 }, (_, i) => `Town ${String(i + 1).padStart(2, '0')}`)

/** Some of the real data, and enough cities for a second page. */
const DATA = {
  continents: ['code,name', 'AF,Africa', 'EU,Europe'],
  countries: [
    'code,name,native_name,capital,continent_code,phone_prefixes,currencies,languages',
    'DE,Germany,Deutschland,Berlin,EU,49,EUR,de',
    'NA,Namibia,Namibia,Windhoek,AF,264,"NAD, ZAR","en, af"',
    'NO,Norway,Norge,Oslo,EU,47,NOK,"no, nb, nn"',
  ],
  regions: ['code,name,country_code', 'NO.12,Oslo,NO'],
  cities: [
    'name,latitude,longitude,country_code,region_code',
    'Oslo,59.91273,10.74609,NO,NO.12',
    ...towns.map((name, i) => `${name},${50 + i / 10},10.5,DE,`),
  ],
}

/** The atlas with 25 cities, as it listens on 127.0.0.1, and its address there. */
export async function startSmallAtlas(
  atlas: AtlasDatabase,
): Promise<{ readonly app: FastifyInstance; readonly origin: string }> {
  await atlas.migrate()
  const rowsOf = imports(models(atlas.kit))
  await atlas.database.transaction(async () => {
    for (const [model, lines] of Object.entries(DATA)) {
      const service = new ImportService({
        fileFormat: 'csv',
        order: [model],
        models: { [model]: rowsOf[model as keyof typeof DATA] },
      })
      await service.import(Readable.from([Buffer.from(lines.join('\n'))]), { append: true })
    }
  })
  // An atlas that has continents loads nothing.
  const app = await createAtlas(atlas, { tokens })
  return { app, origin: await app.listen({ host: '127.0.0.1', port: 0 }) }
}
