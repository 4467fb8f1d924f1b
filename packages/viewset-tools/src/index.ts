import { resolve } from 'node:path'
import { CliError, type CommandLine, loadConfig, loadConfigIfAny, type Tools } from 'viewset/internal'

/** Each command loads its own code when it runs. */
export const tools: Tools = {
  add: async line => {
    const { values, positionals, cwd } = line
    const [, what, table, ...more] = positionals
    if (what !== 'resource' || table === undefined) {
      throw new CliError('Which table? As in: viewset add resource articles', 2)
    }
    if (more.length > 0) throw new CliError(`One table at a time; what is "${more.join(' ')}"?`, 2)
    const { out, force } = values
    const { addResource } = await import('./add-resource.ts')
    return addResource(table, { models: await modelsOf(line), out, force, cwd })
  },

  'search-index': async line => {
    refuseMore(line, 'All tables are looked at.')
    const { searchIndex } = await import('./search-index.ts')
    return searchIndex(await modelsOf(line))
  },

  'index-advice': async line => {
    refuseMore(line, 'All resources are looked at.')
    const { config, rows = '10000', json = false, sql = false } = line.values
    if (json && sql) throw new CliError('Either --json or --sql.', 2)
    if (!/^\d{1,15}$/.test(rows)) throw new CliError(`--rows is a whole number such as 10000, not "${rows}".`, 2)
    const { indexAdvice } = await import('./advice/index-advice.ts')
    const as = json ? 'json' : sql ? 'sql' : 'text'
    return indexAdvice(await loadConfig(line.cwd, config), { rows: Number(rows), as })
  },

  inspect: async line => {
    refuseMore(line, 'The database is given by --url.')
    const { url = process.env.DATABASE_URL, schema = 'public', out = 'src', force } = line.values
    if (!url) throw new CliError('Which database? As in: viewset inspect --url postgres://localhost/shop', 2)
    const { inspect } = await import('./inspect/inspect.ts')
    const schemas = schema.split(',').map(name => name.trim())
    return inspect({ url, out, schemas, force, cwd: line.cwd })
  },
}

function refuseMore({ positionals: [, ...more] }: CommandLine, reason: string): void {
  if (more.length > 0) throw new CliError(`What is "${more.join(' ')}"? ${reason}`, 2)
}

/** The module of the option, of the configuration, or of the usual place. */
async function modelsOf({ values: { models, config }, cwd }: CommandLine): Promise<string> {
  const { usualModels } = await import('./add-resource.ts')
  const given = models === undefined ? (await loadConfigIfAny(cwd, config))?.models : resolve(cwd, models)
  return given ?? usualModels(cwd)
}
