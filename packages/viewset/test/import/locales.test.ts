import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { defineKind, type ImportFileConfig, ImportService, importModel } from 'viewset'
import { expect, test } from 'vitest'
import { chosenExamples } from '../../src/importing/template/examples.ts'
import { importTemplate, templateNote } from '../../src/importing/template/template.ts'
import { CellProblem } from '../../src/kinds/cells.ts'
import { formOf, type LocaleForm, type LocaleForms, localeForms } from '../../src/kinds/locale/locale-forms.ts'
import { truthWords } from '../../src/kinds/locale/truth-words.ts'
import { modelInfo } from '../../src/model/model-info.ts'
import { cases } from '../support/cases.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { withoutGuide } from '../support/edited-workbook.ts'
import { geography } from '../support/import-models.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'
import { workbook } from '../support/workbook.ts'

const LOCALES = [
  'de-DE',
  'de-CH',
  'en-US',
  'en-GB',
  'en-CA',
  'en-IN',
  'fr-FR',
  'fr-CA',
  'es-ES',
  'it-IT',
  'pt-PT',
  'pl-PL',
  'sv-SE',
  'fi-FI',
  'da-DK',
  'cs-CZ',
  'hu-HU',
  'bg-BG',
  'tr-TR',
  'ru-RU',
  'el-GR',
  'ja-JP',
  'ko-KR',
  'zh-TW',
  'hi-IN',
  'ar-EG',
  'he-IL',
  'fa-IR-u-ca-gregory',
  'th-TH-u-ca-gregory',
] as const
const forms = new Map(LOCALES.map(locale => [locale, localeForms(locale)]))
const locales = fc.constantFrom(...LOCALES)

function formIn(locale: (typeof LOCALES)[number], kind: keyof LocaleForms): LocaleForm {
  return forms.get(locale)![kind]!
}

/** What is read of a text; `undefined` where it is refused. */
function read(form: LocaleForm, text: string): string | undefined {
  const value = form.read(text)
  return value instanceof CellProblem ? undefined : value
}

test('a number is read as the locale writes it, with or without marks between the thousands', () => {
  const number = fc.oneof(
    fc.integer({ min: -(10 ** 12), max: 10 ** 12 }),
    fc.integer({ min: -(10 ** 9), max: 10 ** 9 }).map(n => n / 1000),
  )
  fc.assert(
    fc.property(locales, number, fc.constantFrom('always', false, 'auto'), (locale, value, useGrouping) => {
      const format = new Intl.NumberFormat(locale, { maximumFractionDigits: 3, useGrouping: useGrouping as 'always' })
      expect(Number(read(formIn(locale, 'decimal'), format.format(value)))).toBe(Number(value))
    }),
    { numRuns: cases(3_000) },
  )
})

test('an amount is read as the locale writes it, with the sign or the code of its currency', () => {
  const currency = fc.constantFrom('EUR', 'USD', 'GBP', 'JPY', 'INR', 'PLN', 'SEK', 'DKK', 'CZK', 'HUF', 'BRL')
  const cents = fc.integer({ min: -(10 ** 9), max: 10 ** 9 })
  const currencyDisplay = fc.constantFrom('narrowSymbol' as const, 'code' as const)
  fc.assert(
    fc.property(locales, currency, cents, currencyDisplay, (locale, code, amount, display) => {
      const options = { style: 'currency', currency: code, currencyDisplay: display } as const
      const format = new Intl.NumberFormat(locale, { ...options, minimumFractionDigits: 2, maximumFractionDigits: 2 })
      const text = format.format(amount / 100)
      expect([locale, text, Number(read(formIn(locale, 'decimal'), text))]).toEqual([locale, text, amount / 100 + 0])
    }),
    { numRuns: cases(3_000), examples: [['de-DE', 'EUR', 8990, 'narrowSymbol']] },
  )
  expect(read(formIn('de-DE', 'integer'), '1.234 €')).toBe('1234')
  expect(read(formIn('de-DE', 'decimal'), '89.90 €')).toBeUndefined()
  expect(read(formIn('de-DE', 'decimal'), '89,90 kg')).toBeUndefined()
})

test('what one locale writes, another reads as it would write it itself, or not at all', () => {
  const number = fc.integer({ min: -(10 ** 9), max: 10 ** 9 }).map(n => n / 1000)
  fc.assert(
    fc.property(locales, locales, number, (writer, reader, value) => {
      const text = new Intl.NumberFormat(writer, { maximumFractionDigits: 3 }).format(value)
      const found = read(formIn(reader, 'decimal'), text)
      if (found === undefined) return
      const options = { maximumFractionDigits: 3, minimumFractionDigits: found.split('.')[1]?.length ?? 0 }
      const own = [true, false].map(useGrouping =>
        new Intl.NumberFormat(reader, { ...options, useGrouping: useGrouping ? 'always' : false }).format(
          Number(found),
        ),
      )
      expect(own.map(bare)).toContain(bare(text))
    }),
    { numRuns: cases(3_000) },
  )
})

/** A date and time as ISO has it, with its seconds. */
function inFull(moment: string): string {
  return moment.replace(' ', 'T').replace(/T(\d\d:\d\d)$/, 'T$1:00')
}

/** A number without what may be written in two ways: marks that cannot be seen, blanks, apostrophes, minus, digits. */
function bare(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u061C\u200E\u200F]/g, '')
    .replace(/[٠-٩]/g, digit => String(digit.charCodeAt(0) - 0x660))
    .replace(/[۰-۹]/g, digit => String(digit.charCodeAt(0) - 0x6f0))
    .replace(/[’']/g, "'")
    .replace(/\u2212/g, '-')
    .replace(/\s/g, ' ')
}

const days = fc
  .date({ min: new Date('0100-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map(date => date.toISOString().slice(0, 10))

test('a date is read as the locale writes it; with two digits for the year, it is refused', () => {
  fc.assert(
    fc.property(locales, days, fc.boolean(), (locale, day, isLong) => {
      const date = new Date(`${day}T00:00:00Z`)
      const digits = isLong ? '2-digit' : 'numeric'
      const parts = { year: 'numeric', month: digits, day: digits, timeZone: 'UTC' } as const
      const text = new Intl.DateTimeFormat(locale, parts).format(date)
      // Some locales write early years with an era, or with fewer digits.
      if (day >= '1000') expect([locale, read(formIn(locale, 'date'), text)]).toEqual([locale, day])
      const short = new Intl.DateTimeFormat(locale, { ...parts, year: '2-digit' }).format(date)
      expect(read(formIn(locale, 'date'), short)).toBeUndefined()
      expect(read(formIn(locale, 'date'), day)).toBe(day)
    }),
    { numRuns: cases(3_000) },
  )
})

test('a date and time is read as the locale writes it, or refused, and never as another', () => {
  const refused = new Set<string>()
  const moment = fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(locales, moment, fc.boolean(), (locale, date, hasSeconds) => {
      const iso = `${date.toISOString().slice(0, hasSeconds ? 19 : 16)}${hasSeconds ? '' : ':00'}`
      const text = new Intl.DateTimeFormat(locale, {
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: '2-digit',
        ...(hasSeconds && { second: '2-digit' }),
        timeZone: 'UTC',
      }).format(date)
      const found = read(formIn(locale, 'timestamp'), text)
      if (found === undefined) refused.add(locale)
      else expect([locale, text, inFull(found)]).toEqual([locale, text, iso])
      expect(read(formIn(locale, 'timestamp'), iso)).toBe(iso)
    }),
    { numRuns: cases(5_000) },
  )
  expect([...refused]).toEqual([])
})

test('a time that may be by day or by night is refused where hours are counted to twelve', () => {
  const american = formIn('en-US', 'timestamp')
  expect(read(american, '12/31/2026 2:30')).toBeUndefined()
  expect(read(american, '12/31/2026 2:30 PM')).toBe('2026-12-31T14:30:00')
  expect(read(american, '12/31/2026, 12:05:09 a.m.')).toBe('2026-12-31T00:05:09')
  expect(read(american, '12/31/2026 14:30')).toBe('2026-12-31T14:30:00')
  expect(read(american, '12/31/2026 0:30')).toBe('2026-12-31T00:30:00')
  expect(read(american, '12/31/2026 14:30 PM')).toBeUndefined()
  expect(read(formIn('de-DE', 'timestamp'), '31.12.2026 2:30')).toBe('2026-12-31T02:30:00')
  expect(read(formIn('de-DE', 'timestamp'), '31.12.2026 24:30')).toBeUndefined()
})

test('no word is both a yes and a no, in its own language or in that of every import', () => {
  for (const locale of LOCALES) {
    const [yes, no] = truthWords(new Intl.Locale(locale).language)
    expect(yes.filter(word => [...no, 'false', 'no', '0'].includes(word))).toEqual([])
    expect(no.filter(word => ['true', 'yes', '1'].includes(word))).toEqual([])
    const form = formIn(locale, 'boolean')
    for (const word of yes) expect(read(form, word.toLocaleUpperCase(locale))).toBe('true')
    for (const word of no) expect(read(form, word.toLocaleUpperCase(locale))).toBe('false')
  }
})

describeOneDialect('the locale of an import', dialect => {
  const tables = geography(dialect.kit)
  const { samples } = tables
  const db = useDatabase(dialect, tables)
  const configOf = (locale?: string): ImportFileConfig => ({
    fileFormat: ['csv', 'xlsx'],
    order: ['samples'],
    models: {
      samples: importModel({
        model: samples,
        fields: ['code', 'number', 'big', 'price', 'flag', 'day', 'moment', 'text'],
        uniqueFields: ['code'],
      }),
    },
    ...(locale !== undefined && { locale }),
  })
  const header = ['code', 'number', 'big', 'price', 'flag', 'day', 'moment', 'text']
  const run = (file: Buffer, locale = 'de-DE') => importOnce(configOf(locale), file, { database: db.database })

  test('reads numbers, dates and booleans in text cells; what needs no locale is read as ever', async () => {
    const file = csv(
      header,
      ['a', '1.234', '-9.007.199.254.740.993', '1.234,56', 'ja', '31.12.2026', '31.12.2026, 14:30', '1.234,5'],
      ['b', '1234', '+5', '1234,560', 'FALSCH', '2026-12-31', '2026-12-31T14:30:00Z', '31.12.2026'],
      ['c', '', '', '', '', '20261231', '31.12.2026', ''],
    )
    expect(await run(file)).toMatchObject({ created: 3, failed: 0 })
    expect((await db.rows('samples', 'code', 'number', 'big', 'text')).slice(0, 2)).toEqual([
      ['a', '1234', '-9007199254740993', '1.234,5'],
      ['b', '1234', '5', '31.12.2026'],
    ])
    expect(new Set((await db.rows('samples', 'day')).flat())).toEqual(new Set(['2026-12-31']))
    expect((await db.rows('samples', 'code', 'price')).map(([, price]) => price && Number(price))).toEqual([
      1234.56,
      1234.56,
      null,
    ])
    expect(new Set((await db.rows('samples', 'flag')).flat()).size).toBe(3)
  })

  test('refuses what the locale does not write, and shows how to', async () => {
    const file = csv(header, ['a', '1.23', '1,5', '1,234.56', 'oui', '31.12.26', '12/31/2026 2:30 PM', ''])
    expect((await run(file)).errors.map(({ field, message }) => [field, message])).toEqual([
      ['number', '"1.23" is not a number. Write it like 1.234 or 1234.'],
      ['big', '"1.5" is not a whole number. Write it like 42.'],
      ['price', '"1,234.56" is not a number. Write it like 1.234,5 or 1234,5.'],
      ['flag', '"oui" is neither true nor false. Write true or false, yes or no, 1 or 0.'],
      ['day', '"31.12.26" is not a date. Write it like 31.12.2026 or 2026-12-31.'],
      ['moment', '"12/31/2026 2:30 PM" is not a date and time. Write it like 31.12.2026 14:30 or 2026-12-31T14:30.'],
    ])
  })

  test('leaves cells that have a type alone, and reads text cells of the same workbook', async () => {
    const rows = [
      ['a', 1234.0, 5, 1234.5, true, '31.12.2026', null, 1234.5],
      ['b', 1, 1, 1, true, 20261231, null, null],
    ]
    expect(await run(await workbook({ samples: [header, ...rows] }))).toMatchObject({ created: 2, failed: 0 })
    expect(await db.rows('samples', 'number', 'day', 'text')).toEqual([
      ['1', '2026-12-31', null],
      ['1234', '2026-12-31', '1234.5'],
    ])
  })

  test('counts for what a function returns as text, but not for constants, which are code', async () => {
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['samples'],
      models: {
        samples: importModel({
          model: samples,
          fields: ['code', 'number'],
          uniqueFields: ['code'],
          computedFields: { big: row => row.Betrag, moment: () => new Date('2026-12-31T14:30:00Z') },
          constantFields: { price: '1.234', day: '2026-12-31' },
        }),
      },
      locale: 'de-DE',
    }
    const file = csv(['code', 'number', 'Betrag'], ['a', '1.000', '1.234'])
    const transforms = { number: (value: unknown) => `${value}.000` }
    expect(await importOnce(config, file, { database: db.database, transforms })).toMatchObject({
      created: 1,
      failed: 0,
    })
    const [[number, big, price] = []] = await db.rows('samples', 'number', 'big', 'price')
    expect([number, big, Number(price)]).toEqual(['1000000', '1234', 1.234])
  })

  test("leaves a kind of the application's own alone that reads cells by itself", () => {
    const money = defineKind('money', {
      column: c => c.decimal(12, 2),
      readCell: cell => String(cell).replace(' EUR', ''),
    })
    const amount = defineKind('amount', { column: c => c.decimal(12, 2) })
    const prices = dialect.kit.table('prices', {
      code: dialect.kit.text().primaryKey(),
      own: dialect.kit.kind(money),
      plain: dialect.kit.kind(amount),
    })
    const [, own, plain] = modelInfo(prices).columns
    expect(formOf(own!, localeForms('de-DE'))).toBeUndefined()
    expect(formOf(plain!, localeForms('de-DE'))?.read('1.234,50')).toBe('1234.50')
  })

  test('is what the template is written in, whose example is a right row', async () => {
    const service = new ImportService(configOf('de-DE'), { database: db.database })
    const chosen = chosenExamples('test', service.plan, {
      samples: { code: 'x', number: 1234, price: '1234.50', flag: true, day: '2026-12-31', text: '1.5' },
    })
    const examples = await service.examples(chosen)
    const file = await buffer(importTemplate(service.plan, { examples }, 'csv').file)
    expect(file.toString()).toBe(
      'code,number,big,price,flag,day,moment,text\r\nx,1234,1,"1234,50",ja,31.12.2026,2026-01-15T10:30:00Z,1.5\r\n',
    )
    expect(await service.import(file, { append: true })).toMatchObject({ created: 1, failed: 0 })
    const [[number, price] = []] = await db.rows('samples', 'number', 'price')
    expect([number, Number(price)]).toEqual(['1234', 1234.5])
    const workbook = await buffer(importTemplate(service.plan, { examples }, 'xlsx').file)
    expect(await service.import(workbook, { append: true })).toMatchObject({ skipped: 1, failed: 0 })
    const filled = await withoutGuide(workbook)
    expect(await service.import(filled, { append: true })).toMatchObject({ updated: 1, failed: 0 })
    const [model] = service.plan.models
    const notes = model?.columns.map(column => templateNote(service.plan, model, column).split('\n')[1])
    expect(notes).toEqual([
      'Text of up to 20 characters.',
      'A whole number. Write a number as 1.234 or 1234.',
      'A whole number. Write a number as 1.234 or 1234.',
      'A number with up to 3 digits behind the point. Write a number as 1.234,5 or 1234,5.',
      'true or false. Or ja and nein.',
      'A date: YYYY-MM-DD. Write a date as 31.12.2026 or 2026-12-31.',
      'A date and time, such as 2026-01-15T10:30:00Z. Write a date and time as 31.12.2026 14:30 or 2026-12-31T14:30.',
      'Text.',
    ])
  })
})
