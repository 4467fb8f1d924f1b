import { workbook as workbookXml } from '../tabular/workbook-xml.ts'
import { ann, csv, fields, file, fixture, type HttpMistake, header, json, nothing, raw, xlsx } from './http-api.ts'

/*
 * Mistakes that clients, front-end developers and office workers make, and what the API answers: the status with the
 * message, then each error with its place. One error stands in one line. Read both as the person who gets the answer.
 */

const drammen = { name: 'Drammen', country: 1 }
const COLUMNS = 'name,country,population,area,kind,founded,seen_at,opens,is_capital,plate'
const line = (changes: Partial<Record<string, string>>) =>
  COLUMNS.split(',')
    .map(column => changes[column] ?? { name: 'Moss', country: 'NO' }[column] ?? '')
    .join(',')
/** An import of one city with these cells. */
const row = (changes: Partial<Record<string, string>>) => csv(COLUMNS, line(changes))
const IMPORT = 'POST /cities/import-from-file/'
const IMPORT_COUNTRIES = 'POST /countries/import-from-file/'
const IMPORT_GERMAN = 'POST /staedte/import-from-file/'
const UPDATE = 'PATCH /cities/bulk-update/'
const EXPORT = 'POST /cities/export/'
const errorCell = () => {
  const cells = HEADER.map(name => `<c t="str"><v>${name}</v></c>`).join('')
  const values = '<c t="str"><v>Moss</v></c><c t="str"><v>NO</v></c><c t="e"><v>#REF!</v></c>'
  return file('cities.xlsx', workbookXml(`<row>${cells}</row><row>${values}</row>`))
}
const HEADER = COLUMNS.split(',')

// biome-ignore format: a table
const BODIES: readonly HttpMistake[] = [
  ['a body in single quotes', 'POST /cities/', raw("{'name': 'Moss'}"),
    `400 The body is not valid JSON at line 1, column 2: expected a key in double quotes, found "'".`],
  ['a comma after the last key', 'POST /cities/', raw('{"name": "Moss",\n "country": 1,\n}'),
    '400 The body is not valid JSON at line 3, column 1: expected a key after the comma, or no comma, found "}".'],
  ['a body that ends early', 'POST /cities/', raw('{"name": "Moss"'),
    '400 The body is not valid JSON at line 1, column 16: expected "," or "}", but it ends there.'],
  ['no body', 'POST /cities/', nothing,
    '400 Send a JSON object.'],
  ['a form instead of JSON', 'POST /cities/', raw('name=Moss&country=1', 'application/x-www-form-urlencoded'),
    '415 Send the body as application/json.'],
  ['JSON without its content type', 'POST /cities/', raw('{"name": "Moss"}', 'text/plain'),
    '415 Send the body as application/json.'],
  ['a list instead of an object', 'POST /cities/', json([{ name: 'Moss', country: 1 }]),
    '400 Send a JSON object, not an array.'],
  ['JSON encoded twice', 'POST /cities/', json(JSON.stringify({ name: 'Moss', country: 1 })),
    '400 Send a JSON object, not a string.'],
  ['a key twice', 'POST /cities/', raw('{"name": "Moss", "name": "Moss", "country": 1}'),
    '400 name: This key is given more than once.'],
  ['a body in Latin-1', 'POST /cities/', { payload: Buffer.from('{"name": "Møss"}', 'latin1'), headers: { 'content-type': 'application/json' } },
    '400 The body is not valid UTF-8 at line 1, column 12. Send it as UTF-8.'],
  ['required fields left out', 'POST /cities/', json({}),
    '400 The request has 2 errors. "errors" lists them.',
    'name: This field is required.',
    'country: This field is required.'],
  ['a misspelt required field', 'POST /cities/', json({ nmae: 'Moss', country: 1 }),
    '400 name: This field is required. "nmae" was sent; did you mean "name"?'],
  ['a required field in camelCase', 'POST /countries/', json({ code: 'DK', Name: 'Denmark' }),
    '400 name: This field is required. "Name" was sent; did you mean "name"?'],
  ['null for a required field', 'POST /cities/', json({ ...drammen, name: null }),
    '400 name: This field needs a value: null is not allowed.'],
  ['a blank name', 'POST /cities/', json({ ...drammen, name: '  ' }),
    '400 name: This field needs a text that is not empty.'],
  ['a name that is too long', 'POST /cities/', json({ ...drammen, name: 'x'.repeat(31) }),
    '400 name: Ensure this field has no more than 30 characters.'],
  ['a number for a text', 'POST /cities/', json({ ...drammen, name: 5 }),
    '400 name: 5 is not a text. Send a text in quotes.'],
  ['a number in quotes', 'POST /cities/', json({ ...drammen, population: '5000' }),
    '400 population: "5000" is in quotes. Send the number without quotes.'],
  ['a fraction for a whole number', 'POST /cities/', json({ ...drammen, population: 1.5 }),
    '400 population: 1.5 is not a whole number. Write it like 42.'],
  ['a population beyond the limit', 'POST /cities/', json({ ...drammen, population: 900_000_000 }),
    '400 population: Ensure this value is less than or equal to 50000000.'],
  ['a decimal with a comma', 'POST /cities/', json({ ...drammen, area: '12,5' }),
    '400 area: "12,5" is not a number. Write it like 90.5.'],
  ['too many decimal places', 'POST /cities/', json({ ...drammen, area: '12.345' }),
    '400 area: Ensure that there are no more than 2 decimal places.'],
  ['an unknown choice', 'POST /cities/', json({ ...drammen, kind: 'village' }),
    '400 kind: "village" is not a valid choice. Choose one of: city, town.'],
  ['a German date', 'POST /cities/', json({ ...drammen, founded: '31.12.2026' }),
    '400 founded: "31.12.2026" is not a date. Write it like 2026-01-15.'],
  ['a day that does not exist', 'POST /cities/', json({ ...drammen, founded: '2026-02-30' }),
    '400 founded: The day 2026-02-30 does not exist.'],
  ['seconds since 1970 for a time', 'POST /cities/', json({ ...drammen, seen_at: 1_767_225_600 }),
    '400 seen_at: 1767225600 is not a date and time. Write it like 2026-01-15T10:30:00Z.'],
  ['a time of day with am', 'POST /cities/', json({ ...drammen, opens: '9 am' }),
    '400 opens: "9 am" is not a time of day. Write it like 10:30.'],
  ['a boolean in quotes', 'POST /cities/', json({ ...drammen, is_capital: 'true' }),
    '400 is_capital: "true" is neither true nor false. Send true or false, without quotes.'],
  ['a UUID cut short', 'POST /cities/', json({ ...drammen, reference: '7b3f1c5e-4a52' }),
    '400 reference: "7b3f1c5e-4a52" is not a UUID. Write it like 7b3f1c5e-4a52-4f0e-9d7b-3f9f0f6f2a11.'],
  ['a country that does not exist', 'POST /cities/', json({ ...drammen, country: 999 }),
    '400 country: There is no country with the id "999".'],
  ['the code of a country instead of its id', 'POST /cities/', json({ ...drammen, country: 'NO' }),
    '400 country: Send the "id" of the related record, not "NO".'],
  ['the whole country instead of its id', 'POST /cities/', json({ ...drammen, country: { id: 1, code: 'NO' } }),
    '400 country: Send the "id" of the related record, not an object.'],
  ['one label instead of a list', 'POST /cities/', json({ ...drammen, labels: 1 }),
    '400 labels: Send a list of identifiers.'],
  ['labels that do not exist', 'POST /cities/', json({ ...drammen, labels: [1, 77, 78] }),
    '400 labels: There are no labels with the id "77", "78".'],
  ['a plate that is taken', 'POST /cities/', json({ ...drammen, plate: 'OSL' }),
    '400 plate: Another record already has this value.'],
  ['a name that the country has already', 'POST /cities/', json({ ...drammen, name: 'Oslo' }),
    '400 Another record already has these values of country, name.'],
  ['several faults at once', 'POST /cities/', json({ name: '', country: 999, population: 'many' }),
    '400 The request has 3 errors. "errors" lists them.',
    'name: This field needs a text that is not empty.',
    'population: "many" is not a whole number. Write it like 42.',
    'country: There is no country with the id "999".'],
  ['a PUT of one field', 'PUT /cities/1/', json({ population: 5 }),
    '400 The request has 2 errors. "errors" lists them.',
    'name: This field is required.',
    'country: This field is required.'],
  ['a PATCH of a name that is taken', 'PATCH /cities/2/', json({ name: 'Oslo' }),
    '400 Another record already has these values of country, name.'],
  ['a country deleted before its cities', 'DELETE /countries/1/', nothing,
    '409 Records of "cities" refer to this one. Delete them first, or let them refer to another record.'],
]

// biome-ignore format: a table
const ADDRESSES: readonly HttpMistake[] = [
  ['a misspelt resource', 'GET /citys/', nothing,
    '404 There is nothing at this address. Did you mean GET /api/cities/?'],
  ['a resource that is nothing like another', 'GET /zebras/', nothing,
    '404 There is nothing at this address.'],
  ['a record that does not exist', 'GET /cities/999/', nothing,
    '404 There is no such record, or you may not see it.'],
  ['a word as an id', 'GET /cities/oslo/', nothing,
    '404 There is no record with the id "oslo".'],
  ['undefined as an id', 'GET /cities/undefined/', nothing,
    '404 There is no record with the id "undefined".'],
  ['a POST to a record', 'POST /cities/1/', json(drammen),
    '405 Method "POST" is not allowed here. Allowed: GET, PUT, PATCH, DELETE.'],
  ['a DELETE of a list', 'DELETE /cities/', nothing,
    '405 Method "DELETE" is not allowed here. Allowed: POST, GET.'],
  ['a bulk path with an underscore', 'POST /cities/bulk_create/', json([drammen]),
    '405 Method "POST" is not allowed here. Allowed: GET, PUT, PATCH, DELETE. Did you mean POST ' +
    '/api/cities/bulk-create/?'],
  ['an export with GET', 'GET /cities/export/', nothing,
    '405 Method "GET" is not allowed here. Allowed: POST.'],
  ['a lone percent sign', 'GET /cities/?search=100%', nothing,
    '400 The URL is malformed: a % must be followed by two hexadecimal digits of valid UTF-8.'],
  ['no credentials', 'GET /members/', nothing,
    '401 Authentication credentials were not provided. Send the header "Authorization: Bearer <token>" or ' +
    '"x-api-key: <key>".'],
  ['a token that is none', 'GET /members/', header('authorization', 'Bearer abc'),
    '401 The token is not valid.'],
  ['a key that is wrong', 'GET /members/', header('x-api-key', 'key-of-bob'),
    '401 The API key is not valid.'],
  ['a token with the scheme of another framework', 'GET /members/', header('authorization', 'Token secret'),
    '401 This API does not know the scheme "Token" of the header Authorization. Send the header "Authorization: ' +
    'Bearer <token>" or "x-api-key: <key>".'],
  ['a user without the role', 'GET /admins/', ann,
    '403 You do not have permission to perform this action.'],
  ['an import into a resource without one', 'POST /members/import-from-file/', csv(COLUMNS, line({})),
    '405 This resource has no "import-from-file".'],
  ['two slashes', 'GET //cities/', nothing,
    '404 There is nothing at this address. Did you mean GET /api/cities/?'],
]

// biome-ignore format: a table
const QUERIES: readonly HttpMistake[] = [
  ['a misspelt filter', 'GET /cities/?nmae=Oslo', nothing,
    '400 nmae: Unknown parameter "nmae". Did you mean "name"?'],
  ['a filter that is not offered', 'GET /cities/?plate=OSL', nothing,
    '400 plate: Unknown parameter "plate". Known parameters: name, name__icontains, country__code, ' +
    'country__code__in, kind, population__gte, population__lte, population__range and 19 more.'],
  ['a lookup that is not offered', 'GET /cities/?name__startswith=O', nothing,
    '400 name__startswith: Unknown parameter "name__startswith". "name" can be filtered by name, name__icontains, name__ne.'],
  ['a path with a point', 'GET /cities/?country.code=NO', nothing,
    '400 country.code: Unknown parameter "country.code". Did you mean "country__code"?'],
  ['a filter by text where a number is meant', 'GET /cities/?population__gte=many', nothing,
    '400 population__gte: Enter a whole number, such as 42.'],
  ['a range of one value', 'GET /cities/?population__range=5', nothing,
    '400 population__range: Enter two values with a comma between them, each a whole number, such as ' +
    '42.'],
  ['a filter by a German date', 'GET /cities/?founded=31.12.2026', nothing,
    '400 founded: Enter a date, such as 2026-01-15.'],
  ['a filter by an unknown choice', 'GET /cities/?kind=village', nothing,
    '400 kind: Enter one of: city, town.'],
  ['a filter twice', 'GET /cities/?name=Oslo&name=Bergen', nothing,
    '400 name: Give this parameter once.'],
  ['an unknown ordering', 'GET /cities/?ordering=area', nothing,
    '400 ordering: You cannot order by "area". Known fields: name, population.'],
  ['an ordering with desc', 'GET /cities/?ordering=name%20desc', nothing,
    '400 ordering: You cannot order by "name desc". Did you mean "-name"?'],
  ['page 0', 'GET /cities/?page=0', nothing,
    '404 Invalid page. Pages are numbered from 1.'],
  ['a page after the last one', 'GET /cities/?page=9', nothing,
    '404 Invalid page. The last page is 1.'],
  ['limit for a list with pages', 'GET /cities/?limit=10', nothing,
    '400 limit: Unknown parameter "limit". This list is paged by page and page_size.'],
  ['page for a list with an offset', 'GET /slices/?page=2', nothing,
    '400 page: Unknown parameter "page". This list is paged by limit and offset.'],
  ['a negative offset', 'GET /slices/?offset=-5', nothing,
    '400 offset: Enter a whole number that is not negative.'],
  ['a cursor that was cut', 'GET /feed/?cursor=abc', nothing,
    '404 Invalid cursor. Begin again with the first page.'],
  ['paginated=maybe', 'GET /cities/?paginated=maybe', nothing,
    '400 paginated: Enter true or false.'],
  ['a search that is too long', `GET /cities/?search=${'x'.repeat(201)}`, nothing,
    '400 search: Search for at most 200 characters.'],
  ['a parameter for a record', 'GET /cities/1/?fields=name', nothing,
    '400 fields: Unknown parameter "fields". This action reads no parameters.'],
]

// biome-ignore format: a table
const BULK_AND_EXPORT: readonly HttpMistake[] = [
  ['one object for a bulk create', 'POST /cities/bulk-create/', json(drammen),
    '400 Send a JSON array, not an object.'],
  ['an empty list', 'POST /cities/bulk-create/', json([]),
    '400 This list is empty. Send at least one item.'],
  ['faults in several items', 'POST /cities/bulk-create/', json([drammen, { name: 'Moss' }, 'Moss', { ...drammen, name: 'Moss', country: 999 }]),
    '400 The request has 3 errors. "errors" lists them.',
    '1.country: This field is required.',
    '2.non_field_errors: Send a JSON object, not a string.',
    '3.country: There is no country with the id "999".'],
  ['two items with one plate', 'POST /cities/bulk-create/', json([{ ...drammen, plate: 'A' }, { ...drammen, name: 'Moss', plate: 'A' }]),
    '400 1.plate: Another item of this request has the same value.'],
  ['a bulk update without ids', UPDATE, json([{ population: 5 }]),
    '400 0.id: This field is required.'],
  ['a bulk update of one record twice', UPDATE, json([{ id: 1, population: 5 }, { id: 1, population: 6 }]),
    '400 1.id: Another item is about the same record. Send one item for each record.'],
  ['a bulk update of a record that does not exist', UPDATE, json([{ id: 999, population: 5 }]),
    '400 0.id: There is no city with the id "999".'],
  ['a bulk delete of objects', 'DELETE /cities/bulk-delete/', json({ id: 1 }),
    '400 Send a JSON array, not an object.'],
  ['a bulk delete of countries, one with cities', 'DELETE /countries/bulk-delete/', json([1, 2]),
    '409 Records of "cities" refer to the record 1. Delete them first, or let them refer to other records.'],
  ['a soft delete of a model without it', 'DELETE /cities/bulk-soft-delete/', json([1]),
    '400 These records cannot be soft-deleted. Use bulk-delete instead.'],
  ['an export without its type', EXPORT, json({}),
    '400 file_type: This field is required.'],
  ['an export of an unknown type', EXPORT, json({ file_type: 'docx' }),
    '400 file_type: "docx" is not a valid choice. Choose one of: csv, xlsx, pdf.'],
  ['an export of an unknown column', EXPORT, json({ file_type: 'csv', includes: ['name', 'mayor'] }),
    '400 includes: Unknown field "mayor". Known fields: id, name, country, population, area, kind, founded, ' +
    'seen_at, opens, is_capital, plate, reference, info, labels, country__code.'],
  ['a misspelt key of an export', EXPORT, json({ file_type: 'csv', include: ['name'] }),
    '400 include: Unknown parameter "include". Did you mean "includes"?'],
  ['a column width of 0', EXPORT, json({ file_type: 'xlsx', column_config: { name: { width: 0 } } }),
    '400 column_config.name.width: Ensure this value is greater than or equal to 1.'],
  ['rows of an export that are no list', EXPORT, json({ file_type: 'csv', data: 'all' }),
    '400 data: Send a list of rows.'],
  ['the file of a job that does not exist', 'GET /jobs/7b3f1c5e-4a52-4f0e-9d7b-3f9f0f6f2a11/file/', ann,
    '404 There is no such record, or you may not see it.'],
  ['background work without a user', 'POST /cities/export/?background=true', json({ file_type: 'csv' }),
    '401 Only a signed-in user can ask for background work. Sign in first.'],
]

// biome-ignore format: a table
const FILES: readonly HttpMistake[] = [
  ['no file', IMPORT, fields({ name: 'append_data', value: 'true' }),
    '400 file: No file was submitted. Send it as the part "file".'],
  ['a file in a part of another name', IMPORT, fields({ name: 'upload', filename: 'a.csv', content: COLUMNS }, { name: 'append_data', value: 'true' }),
    '400 The request has 2 errors. "errors" lists them.',
    'file: No file was submitted. Send it as the part "file".',
    'upload: Unknown parameter "upload". Known parameters: file, append_data, dry_run, diff, ' +
    'all_or_nothing, fail_on_warnings, failed_rows, background and 7 more.'],
  ['a file as JSON', IMPORT, json({ file: 'cities.csv' }),
    '415 Send the file as multipart/form-data.'],
  ['no append_data', IMPORT, fields({ name: 'file', filename: 'a.csv', content: COLUMNS }),
    '400 append_data: This field is required: "true" adds to the stored records, "false" replaces them.'],
  ['append_data that is neither true nor false', IMPORT, file('a.csv', COLUMNS, { append_data: 'maybe' }),
    '400 append_data: Enter true or false.'],
  ['a misspelt part', IMPORT, file('a.csv', COLUMNS, { dryrun: 'true' }),
    '400 dryrun: Unknown parameter "dryrun". Did you mean "dry_run"?'],
  ['an empty file', IMPORT, file('a.csv', ''),
    '400 file: The submitted file is empty. Choose another one.'],
  ['a replace with a header and no rows', IMPORT, file('a.csv', COLUMNS, { append_data: 'false' }),
    '400 file: The file has no rows, so nothing was replaced. The template is at ' +
    'http://localhost:80/api/cities/import-template/'],
  ['a picture named xlsx', IMPORT, file('cities.xlsx', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')),
    '400 file: The file seems to be a PNG picture. Send CSV or XLSX. The template is at ' +
    'http://localhost:80/api/cities/import-template/'],
  ['a workbook with a password', IMPORT, file('cities.xlsx', fixture('pass_protected.xlsx')),
    '400 file: The workbook is protected by a password: save it without one. The template is at ' +
    'http://localhost:80/api/cities/import-template/'],
  ['an old workbook', IMPORT, file('cities.xls', fixture('date.xls')),
    '400 file: The file seems to be an XLS file. Open it in a spreadsheet program, save it as XLSX (Save As, ' +
    '.xlsx) and send the new file. The template is at http://localhost:80/api/cities/import-template/'],
  ['an OpenDocument spreadsheet', IMPORT, file('cities.ods', fixture('date.ods')),
    '400 file: The file seems to be an OpenDocument spreadsheet (ODS). Open it in a spreadsheet program, save it ' +
    'as XLSX (Save As, .xlsx) and send the new file. The template is at ' +
    'http://localhost:80/api/cities/import-template/'],
  ['a damaged workbook', IMPORT, file('cities.xlsx', fixture('date.xlsx').subarray(0, 900)),
    '400 file: The workbook is damaged. Open it in a spreadsheet program and save it again. The template is at ' +
    'http://localhost:80/api/cities/import-template/'],
  ['a web page named xls', IMPORT, file('cities.xls', '<html><table><tr><td>Oslo</td></tr></table></html>'),
    '400 file: The file seems to be a web page (HTML). Open it in a spreadsheet program, save it as XLSX (Save ' +
    'As, .xlsx) and send the new file. The template is at http://localhost:80/api/cities/import-template/'],
  ['a CSV file where only workbooks are taken', IMPORT_COUNTRIES, csv('code,name', 'DK,Denmark'),
    '400 file: The file seems to be a CSV file. Open it in a spreadsheet program, save it as XLSX (Save As, ' +
    '.xlsx) and send the new file. The template is at http://localhost:80/api/countries/import-template/'],
  ['a column that is missing', IMPORT, csv('name,country', 'Moss,NO'),
    '400 file: The column "Inhabitants" is missing; it may also be called "population". The column "area" is ' +
    'missing. The column "kind" is missing. The column "founded" is missing. The column "seen_at" is missing. The ' +
    'column "opens" is missing. The column "is_capital" is missing. The column "plate" is missing. The header ' +
    '(the first row) has the columns "name", "country". The template is at ' +
    'http://localhost:80/api/cities/import-template/'],
  ['headers of another language', IMPORT, csv('Navn;Land;Innbyggere', 'Moss;NO;5'),
    '400 file: The column "Name" is missing. The column "Inhabitants" is missing; it may also be called ' +
    '"population". The column "area" is missing. The column "kind" is missing. The column "founded" is missing. ' +
    'The column "seen_at" is missing. The column "opens" is missing. The column "is_capital" is missing. The ' +
    'column "plate" is missing. The column "Country" is missing. The header (the first row) has the columns ' +
    '"Navn", "Land", "Innbyggere". If the names of the columns stand in another row, send its number as "header_row". The template is at http://localhost:80/api/cities/import-template/'],
  ['a column twice', IMPORT, csv(`${COLUMNS},name`, `${line({})},Moss`),
    '400 file: The file has 2 columns "name". Keep one of them. The template is at ' +
    'http://localhost:80/api/cities/import-template/'],
  ['a title above a header that lacks a column', IMPORT, csv('Cities of Norway', '', COLUMNS.replace('name', 'city'), line({})),
    '400 file: The column "Name" is missing. The header (row 3) has the columns "city", "country", "population", ' +
    '"area", "kind", "founded", "seen_at", "opens", "is_capital", "plate". The template is at ' +
    'http://localhost:80/api/cities/import-template/'],
  ['rows without a header', IMPORT, csv(line({}), line({ name: 'Hamar' })),
    '400 file: The column "Name" is missing. The column "Inhabitants" is missing; it may also be called ' +
    '"population". The column "area" is missing. The column "kind" is missing. The column "founded" is missing. ' +
    'The column "seen_at" is missing. The column "opens" is missing. The column "is_capital" is missing. The ' +
    'column "plate" is missing. The column "Country" is missing. The header (the first row) has the columns ' +
    '"Moss", "NO", "(column 3)", "(column 4)", "(column 5)", "(column 6)", "(column 7)", "(column 8)", "(column ' +
    '9)", "(column 10)". If the names of the columns stand in another row, send its number as "header_row". The template is at http://localhost:80/api/cities/import-template/'],
  ['more cells than columns', IMPORT, csv(COLUMNS, `${line({})},x,y`),
    '207 1 of 1 row failed; nothing was stored.',
    'row 2, non_field_errors: This row has more cells than the header has columns. Remove cells, or put quotes ' +
    '(") around a cell that has a separator.'],
  ['a quote that is never closed', IMPORT, csv(COLUMNS, `"Moss,NO`, line({})),
    '400 file: Row 2 has a quote (") that is never closed. Close or remove it. The template is at ' +
    'http://localhost:80/api/cities/import-template/'],
  ['text behind the closing quote of two lines', IMPORT, csv(COLUMNS, `"Moss\n" city,NO,,,,,,,,`),
    '400 file: Row 2 has text behind the closing quote (") of a cell. Double each quote that belongs to the text. ' +
    'The template is at http://localhost:80/api/cities/import-template/'],
  ['an empty cell that needs a value', IMPORT, row({ name: '' }),
    '207 1 of 1 row failed; nothing was stored.',
    'row 2, name: This cell is empty, and a value is required.'],
  ['a name that is too long for its column', IMPORT, row({ name: 'x'.repeat(31) }),
    '207 1 of 1 row failed; nothing was stored.',
    'row 2, name: Ensure this field has no more than 30 characters.'],
  ['a country that is not stored', IMPORT, row({ country: 'Norway' }),
    '207 1 of 1 row failed; nothing was stored.',
    'row 2, country: There is no country with the code "Norway".'],
  ['a number with a word', IMPORT, row({ population: '5000 people' }),
    '207 1 of 1 row failed; nothing was stored.',
    'row 2, population: "5000 people" is not a whole number. Write it like 42.'],
  ['thousands with a comma', IMPORT, row({ population: '"5,000"' }),
    '207 1 of 1 row failed; nothing was stored.',
    'row 2, population: "5,000" has a comma. Write the whole number without separators, like 5000.'],
  ['a decimal cell with a comma', IMPORT, row({ area: '"12,5"' }),
    '207 1 of 1 row failed; nothing was stored.',
    'row 2, area: "12,5" has a comma. Write the number with a point and without thousands separators, like ' +
    '1234.5, or name the language of the file, as in locale=de-DE.'],
  ['a cell with 31.12.2026', IMPORT, row({ founded: '31.12.2026' }),
    '207 1 of 1 row failed; nothing was stored.',
    'row 2, founded: "31.12.2026" is not a date. Write it like 2026-01-15.'],
  ['a cell with 2026-02-30', IMPORT, row({ founded: '2026-02-30' }),
    '207 1 of 1 row failed; nothing was stored.',
    'row 2, founded: The day 2026-02-30 does not exist.'],
  ['a cell with 15.01.2026 10:30', IMPORT, row({ seen_at: '15.01.2026 10:30' }),
    '207 1 of 1 row failed; nothing was stored.',
    'row 2, seen_at: "15.01.2026 10:30" is not a date and time. Write it like 2026-01-15T10:30:00Z.'],
  ['a cell with 9 am', IMPORT, row({ opens: '9 am' }),
    '207 1 of 1 row failed; nothing was stored.',
    'row 2, opens: "9 am" is not a time of day. Write it like 10:30.'],
  ['a cross for true', IMPORT, row({ is_capital: 'x' }),
    '207 1 of 1 row failed; nothing was stored.',
    'row 2, is_capital: "x" is neither true nor false. Write true or false, yes or no, 1 or 0.'],
  ['a kind that is no choice', IMPORT, row({ kind: 'City' }),
    '207 1 of 1 row failed; nothing was stored.',
    'row 2, kind: "City" is not a valid choice. Choose one of: city, town.'],
  ['a plate that another city has', IMPORT, row({ plate: 'OSL' }),
    '207 1 of 1 row failed; nothing was stored.',
    'row 2, plate: Another record already has this value.'],
  ['two rows with one plate', IMPORT, csv(COLUMNS, line({ plate: 'A' }), line({ name: 'Hamar', plate: 'A' })),
    '207 1 of 2 rows failed; the other 1 was stored.',
    'row 3, plate: Another record already has this value.'],
  ['an English number in a German file', IMPORT_GERMAN, row({ area: '"1,234.50"' }),
    '207 1 of 1 row failed; nothing was stored.',
    'row 2, area: "1,234.50" is not a number. Write it like 1.234,5 or 1234,5.'],
  ['an American date in a German file', IMPORT_GERMAN, row({ founded: '12/31/2026' }),
    '207 1 of 1 row failed; nothing was stored.',
    'row 2, founded: "12/31/2026" is not a date. Write it like 31.12.2026 or 2026-12-31.'],
  ['a replace of countries that have cities', IMPORT_COUNTRIES, xlsx({ countries: [['code', 'name'], ['DK', 'Denmark']], cities: [HEADER] }, 'false'),
    '409 Records of "cities" refer to records that would be deleted, so nothing was replaced. Delete them first, ' +
    'or add the rows without replacing.'],
  ['a sheet that is missing', IMPORT_COUNTRIES, xlsx({ Sheet1: [['code', 'name'], ['DK', 'Denmark']] }),
    '400 file: The column "cities.name" is missing. The column "population" is missing. The column "area" is ' +
    'missing. The column "kind" is missing. The column "founded" is missing. The column "seen_at" is missing. The ' +
    'column "opens" is missing. The column "is_capital" is missing. The column "plate" is missing. The column ' +
    '"country" is missing. The header (the first row) has the columns "code", "name". Put all columns into one ' +
    'sheet, or name the sheets "countries" and "cities". The template is at ' +
    'http://localhost:80/api/countries/import-template/'],
  ['an error cell', IMPORT, errorCell(),
    '207 1 of 1 row failed; nothing was stored.',
    'row 2, population: The cell has the error #REF!. Enter a value instead.'],
  ['a mapping that is no JSON', IMPORT, file('a.csv', 'Navn,Land\nMoss,NO', { mapping: 'Navn=name' }),
    '400 mapping: Send a JSON object with the field for each header, or null to leave it out: {"Airport code": ' +
    '"iata"}.'],
  ['a mapping to an unknown field', IMPORT, file('a.csv', 'Navn,Land\nMoss,NO', { mapping: '{"Navn":"nmae","Land":"country"}' }),
    '400 mapping: "Navn": "nmae" is not imported. Did you mean "name"?'],
  ['a mapping of a column that the file lacks', IMPORT, file('a.csv', 'Navn,Land\nMoss,NO', { mapping: '{"Nvan":"name"}' }),
    '400 mapping: The file has no column "Nvan". Did you mean "Navn"?'],
]

export const httpMistakes = [...BODIES, ...ADDRESSES, ...QUERIES, ...BULK_AND_EXPORT, ...FILES]
