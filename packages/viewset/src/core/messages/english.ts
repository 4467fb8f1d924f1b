import { joined, present, quote, withArticle } from './joined.ts'

/**
 * The catalogue of messages: every text that a client can get, in English. The part of a name before its first point
 * is the stable code of the error: `codes` in an envelope. Several messages may share a code.
 *
 * A translation has the same names: see `german.ts`.
 */
export const english = {
  // Fields of a request, and cells of a file.
  required: 'This field is required.',
  'required.similar': ({ sent, meant }: { sent: string; meant: string }) =>
    `This field is required. "${sent}" was sent; did you mean "${meant}"?`,
  ignored: ({ sent, meant }: { sent: string; meant: string }) => `"${sent}" was ignored; did you mean "${meant}"?`,
  'required.cell': 'This cell is empty, and a value is required.',
  'required.column': ({ column }: { column: string }) => `The column "${column}" is missing.`,
  'required.append': 'This field is required: "true" adds to the stored records, "false" replaces them.',
  null: 'This field needs a value: null is not allowed.',
  blank: 'This field needs a text that is not empty.',
  empty: 'This list is empty. Send at least one item.',
  invalid: 'This value is not valid.',
  'invalid.error_id': ({ id }: { id: string }) => `This value is not acceptable. Please quote error id ${id}.`,
  'invalid.row': ({ id }: { id: string }) => `This row is not acceptable. Please quote error id ${id}.`,
  'invalid.together': ({ fields }: { fields: string }) => `The values of ${fields} do not go together.`,
  'invalid.error_cell': ({ error }: { error: string }) => `The cell has the error ${error}. Enter a value instead.`,
  'invalid.error_cell_of': ({ column, error }: { column: string; error: string }) =>
    `The cell of "${column}" has the error ${error}. Enter a value instead.`,
  text_behind_quote: 'This row has text behind a closing quote ("). It was read as the rest of the cell.',
  guessed_encoding: ({ encoding }: { encoding: string }) =>
    `The encoding of the file was guessed: ${encoding}. Check its special letters, save it as CSV UTF-8, or name its encoding.`,
  hidden_rows: ({ sheet, rows }: { sheet: string; rows: number }) =>
    `The sheet "${sheet}" hides ${rows === 1 ? '1 row' : `${count(rows)} rows`}, perhaps by a filter. Hidden rows are read like others.`,
  hidden_columns: ({ sheet, columns }: { sheet: string; columns: readonly string[] }) =>
    `The sheet "${sheet}" hides ${columns.length === 1 ? 'a column' : 'columns'}: ${columns.map(quote).join(', ')}. Hidden columns are read like others.`,
  lost_columns: ({ columns }: { columns: readonly string[] }) =>
    `This file no longer has the ${columns.length === 1 ? 'column' : 'columns'} ${and(columns.map(quote))}. Stored values stay.`,
  merged_cells: ({ sheet, areas, cells }: { sheet: string; areas: number; cells: number }) =>
    `The sheet "${sheet}" has ${areas === 1 ? '1 area' : `${count(areas)} areas`} of merged cells. Only the first cell of an area has its value: ${cells === 1 ? '1 other is' : `${count(cells)} others are`} empty.`,
  number_format: ({ value }: { value: string }) =>
    `The cell shows more than its number. Only the number was read: ${value}.`,
  'invalid.too_many_cells':
    'This row has more cells than the header has columns. Remove cells, or put quotes (") around a cell that has a separator.',
  'invalid.cell_beside_table':
    'This row has a cell to the right of the last column with a header. Give the column a header, or empty the cell.',
  'invalid.item': ({ item, problem }: { item: string; problem: Shown }) => `"${item}": ${problem}`,
  'invalid.entry': ({ place, path, problem }: { place: string; path: string; problem: Shown }) =>
    `Entry ${place}: ${problem} (${path})`,
  invalid_text: ({ value }: { value: string }) => `${value} is not a text. Send a text in quotes.`,
  'invalid_text.characters': 'This text has damaged characters. Type it again.',
  'invalid_text.nul': 'This text has NUL characters. Remove them.',
  invalid_integer: ({ value }: { value: string }) => `${value} is not a whole number. Write it like 42.`,
  'invalid_integer.quoted': ({ value }: { value: string }) => `${value} is in quotes. Send the number without quotes.`,
  'invalid_integer.comma': ({ value }: { value: string }) =>
    `${value} has a comma. Write the whole number without separators, like 5000.`,
  invalid_number: ({ value }: { value: string }) => `${value} is not a number. Write it like 90.5.`,
  'invalid_number.quoted': ({ value }: { value: string }) => `${value} is in quotes. Send the number without quotes.`,
  'invalid_number.comma': ({ value }: { value: string }) =>
    `${value} has a comma. Write the number with a point and without thousands separators, like 1234.5, or name the language of the file, as in locale=de-DE.`,
  'invalid_number.cell': ({ value }: { value: string }) => `${value} is not a number. Enter a number, such as 90.5.`,
  'invalid_number.text_cell': ({ value }: { value: string }) =>
    `${value} is a text, not a number. Format the cell as a number, and enter it again.`,
  'invalid_number.form': ({ value, grouped, plain }: { value: string; grouped: string; plain: string }) =>
    `${value} is not a number. Write it like ${grouped} or ${plain}.`,
  'invalid_number.digits': ({ value }: { value: string }) =>
    `A workbook cannot keep all digits of ${value}. Format the cell as text, and enter the number again.`,
  invalid_boolean: ({ value }: { value: string }) =>
    `${value} is neither true nor false. Send true or false, without quotes.`,
  'invalid_boolean.cell': ({ value }: { value: string }) =>
    `${value} is neither true nor false. Write true or false, yes or no, 1 or 0.`,
  invalid_uuid: ({ value }: { value: string }) =>
    `${value} is not a UUID. Write it like 7b3f1c5e-4a52-4f0e-9d7b-3f9f0f6f2a11.`,
  invalid_slug: ({ value }: { value: string }) =>
    `${value} is a part of other addresses of the API. Choose another value.`,
  'invalid_slug.reserved': ({ field, value }: { field: string; value: string }) =>
    `This text makes the ${field} ${value}, which is a part of other addresses of the API. Change the text.`,
  'invalid_slug.reserved_or_sent': ({ field, value }: { field: string; value: string }) =>
    `This text makes the ${field} ${value}, which is a part of other addresses of the API. Send another ${field}, or change the text.`,
  'invalid_slug.empty': ({ field }: { field: string }) =>
    `This text has no letter or digit for the ${field}. Change the text.`,
  'invalid_slug.empty_or_sent': ({ field }: { field: string }) =>
    `This text has no letter or digit for the ${field}. Send a ${field}, or change the text.`,
  invalid_choice: ({ value, choices }: { value: string; choices: string }) =>
    `${value} is not a valid choice. Choose one of: ${choices}.`,
  invalid_date: ({ value }: { value: string }) => `${value} is not a date. Write it like 2026-01-15.`,
  'invalid_date.form': ({ value, local }: { value: string; local: string }) =>
    `${value} is not a date. Write it like ${local} or 2026-12-31.`,
  'invalid_date.no_such_day': ({ day }: { day: string }) => `The day ${day} does not exist.`,
  invalid_datetime: ({ value }: { value: string }) =>
    `${value} is not a date and time. Write it like 2026-01-15T10:30:00Z.`,
  'invalid_datetime.form': ({ value, local }: { value: string; local: string }) =>
    `${value} is not a date and time. Write it like ${local} or 2026-12-31T14:30.`,
  invalid_time: ({ value }: { value: string }) => `${value} is not a time of day. Write it like 10:30.`,
  'invalid_time.zone': ({ value }: { value: string }) => `${value} is not a time of day. Write it like 10:30+01:00.`,
  invalid_address: ({ value }: { value: string }) => `${value} is not an IP address. Write it like 192.0.2.1.`,
  invalid_mac: ({ value }: { value: string }) => `${value} is not a MAC address. Write it like 08:00:2b:01:02:03.`,
  invalid_json: 'This is not valid JSON. Write it like {"a": 1} or ["a", "b"].',
  invalid_base64: 'This is not valid base64.',
  max_length: ({ max }: { max: number }) => `Ensure this field has no more than ${max} characters.`,
  'max_length.bytes': ({ max }: { max: number }) => `Ensure this field has no more than ${max} bytes.`,
  'max_length.items': ({ max }: { max: number }) => `Ensure this list has no more than ${max} items.`,
  'max_length.names': ({ max }: { max: number }) => `Ensure this field names no more than ${max} records.`,
  'max_length.rows': ({ rows, max }: { rows: number; max: number }) =>
    `You sent ${count(rows)} rows; at most ${count(max)} are allowed.`,
  'max_length.form_field': 'This field is too long.',
  min_length: ({ min }: { min: number }) => `Ensure this field has at least ${min} characters.`,
  'min_length.items': ({ min }: { min: number }) =>
    `Ensure this list has at least ${min} ${min === 1 ? 'item' : 'items'}.`,
  exact_length: ({ length }: { length: number }) => `Ensure this field has exactly ${length} characters.`,
  multiple_of: ({ of }: { of: string }) => `Ensure this value is a multiple of ${of}.`,
  invalid_email: ({ value }: { value: string }) => `${value} is not an email address. Write it like name@example.org.`,
  invalid_url: ({ value }: { value: string }) => `${value} is not an address. Write it like https://example.org.`,
  invalid_format: ({ value }: { value: string }) => `${value} does not have the form that this field needs.`,
  max_value: ({ max }: { max: string }) => `Ensure this value is less than or equal to ${max}.`,
  'max_value.exclusive': ({ max }: { max: string }) => `Ensure this value is less than ${max}.`,
  min_value: ({ min }: { min: string }) => `Ensure this value is greater than or equal to ${min}.`,
  'min_value.exclusive': ({ min }: { min: string }) => `Ensure this value is greater than ${min}.`,
  max_decimal_places: ({ max }: { max: number }) => `Ensure that there are no more than ${max} decimal places.`,
  max_whole_digits: ({ max }: { max: number }) =>
    `Ensure that there are no more than ${max} digits before the decimal point.`,
  leading_zeros: ({ zeros }: { zeros: number }) => `Ensure that the first ${zeros} decimal places are 0.`,
  not_an_object: ({ found }: { found: JsonType }) =>
    `Send a JSON object${found === 'nothing' ? '' : `, not ${FOUND[found]}`}.`,
  'not_an_object.here': 'Send a JSON object.',
  not_a_list: ({ found }: { found: JsonType }) =>
    `Send a JSON array${found === 'nothing' ? '' : `, not ${FOUND[found]}`}.`,
  // A project's own text may name the type.
  'not_a_list.items': (_: { found: JsonType }) => 'Send a list of items.',
  'not_a_list.keys': (_: { found: JsonType }) => 'Send a list of identifiers.',
  'not_a_list.fields': 'Send a list of field names.',
  'not_a_list.rows': 'Send a list of rows.',
  'not_a_list.quote': ({ separator }: { separator: string }) =>
    `A quote is in the wrong place. Write an item with a quote or "${separator}" like "a ""b"", c".`,
  'not_a_list.json': 'This is not a list. Write it like a, b or ["a", "b"].',
  'not_a_list.cut': 'This list was cut, because it is too long for a cell of a workbook. Use CSV.',
  'not_a_list.records': ({ example }: { example: string }) => `This is not a list in JSON. Write it like ${example}.`,

  // Unique values and related records.
  unique: 'Another record already has this value.',
  'unique.together': ({ fields }: { fields: string }) => `Another record already has these values of ${fields}.`,
  'unique.same': ({ fields }: { fields: string }) => `Another record has the same ${fields}.`,
  'unique.exists': ({ fields }: { fields: string }) => `A record with the same ${fields} exists already.`,
  'unique.item': 'Another item of this request has the same value.',
  'unique.items_together': ({ fields }: { fields: string }) =>
    `Another item of this request has the same values of ${fields}.`,
  does_not_exist: ({ record, field, value }: { record: string; field: string; value: string }) =>
    `There is no ${record} with the ${field} "${value}".`,
  'does_not_exist.several': ({ records, field, values, more }: MissingRecords) =>
    `There are no ${records} with the ${field} ${listed(values, more)}.`,
  'does_not_exist.row': ({ fields }: { fields: string }) => `There is no record with the same ${fields}.`,
  'does_not_exist.referred': 'The record that this refers to does not exist.',
  'does_not_exist.user':
    'You are signed in as a user who is not stored here, so no record can be marked as created or changed by you.',
  'does_not_exist.gone': 'This record has just been deleted.',
  ambiguous: ({ records, field, value }: { records: string; field: string; value: string }) =>
    `Several ${records} have the ${field} "${value}". Use a value that only one has.`,
  'ambiguous.row': ({ fields }: { fields: string }) =>
    `Several records have the same ${fields}. Correct them, so that only one has it.`,
  claimed_twice: ({ values }: { values: string }) => `Another item has ${values} as well.`,
  'claimed_twice.record': 'Another item is about the same record. Send one item for each record.',
  key_expected: ({ key }: { key: string }) => `Send the "${key}" of the related record, not an object.`,
  'key_expected.value': ({ key, value }: { key: string; value: string }) =>
    `Send the "${key}" of the related record, not ${value}.`,
  out_of_scope: 'You could not see this record afterwards, so it cannot be stored like this.',
  'out_of_scope.related': 'A new record must be among those that this field can refer to.',
  restricted: 'Other records refer to this one. Delete them first, or let them refer to another record.',
  'restricted.by': ({ resources }: { resources: readonly string[] }) =>
    `Records of ${and(resources.map(quote))} refer to this one. Delete them first, or let them refer to another record.`,
  'restricted.records': ({ resources, keys, more }: RestrictedRecords) =>
    `Records of ${and(resources.map(quote))} refer to ${keys.length + more === 1 ? 'the record' : 'the records'} ${listed(keys, more)}. Delete them first, or let them refer to other records.`,
  'restricted.replace': ({ resources }: { resources: readonly string[] }) =>
    `Records of ${and(resources.map(quote))} refer to records that would be deleted, so nothing was replaced. Delete them first, or add the rows without replacing.`,
  not_of_path: 'The address names another record. Leave this field out.',
  max_stored: ({ max }: { max: number }) =>
    `This list takes at most ${max} records, those that are stored already included.`,
  truncated_list: 'This list was read in part. Leave it out, and its records stay as they are.',
  must_belong: ({ values }: { values: string }) =>
    `${values} cannot be taken away: each must always belong to a record.`,
  not_soft_deletable: 'These records cannot be soft-deleted. Use bulk-delete instead.',
  repeated_header: 'This row repeats the header.',
  example_row: 'This row is the example of the template, so it is skipped. Delete it.',
  'invalid.sensitive': 'This value is not valid. It is not shown, since it is sensitive.',
  repeated_row: ({ field, numbers, more }: { field: string; numbers: readonly string[]; more: number }) =>
    `Rows ${more > 0 ? listed(numbers, more) : and(numbers)} have the same ${field}. Keep one of them.`,
  later_row: ({ row, field }: { row: number; field: string }) =>
    `Row ${row} has the same ${field} and other values. Keep one of the rows.`,
  totals_row: ({ word, fields }: { word: string; fields: readonly string[] }) =>
    `This looks like a row of totals: it has "${word}", and no value for ${and(fields.map(quote))}. Remove the row, or enter the value.`,
  'totals_row.skipped': ({ word, fields }: { word: string; fields: readonly string[] }) =>
    `This looks like a row of totals: it has "${word}", and no value for ${and(fields.map(quote))}.`,
  'totals_row.label': ({ word }: { word: string }) => `This looks like a row of totals: its only text is "${word}".`,
  'totals_row.stored': ({ word }: { word: string }) =>
    `This row looks like a row of totals: its only text is "${word}". Remove the row if it is no record.`,
  marked_and_edited: ({ columns }: { columns: readonly string[] }) =>
    `This row is marked for deletion, but ${and(columns.map(quote))} ${columns.length === 1 ? 'was' : 'were'} edited. Undo the edit, or clear the mark.`,
  marked_row: 'This row is marked for deletion, but has no ID. Nothing was created or deleted.',
  read_only_column: 'This column is for reading only. Changes in it were ignored.',
  not_stored: 'The database did not store this row.',
  'not_stored.deleted': 'The database did not delete this record.',
  'not_stored.record': 'A record has not been stored.',
  'not_stored.related': 'A related record has not been stored.',

  // The message of an answer.
  /** Several sentences, one after the other. */
  sentences: ({ texts }: { texts: readonly Shown[] }) => texts.join(' '),
  several_errors: ({ count }: { count: number }) => `The request has ${count} errors. "errors" lists them.`,
  conflict: 'The request conflicts with stored data.',
  invalid_data: 'The submitted data is not valid.',
  not_found: 'There is no such record, or you may not see it.',
  'not_found.key': ({ field, value }: { field: string; value: string }) =>
    `There is no record with the ${field} ${value}.`,
  'not_found.address': 'There is nothing at this address.',
  'not_found.address_like': ({ method, address }: { method: string; address: string }) =>
    `There is nothing at this address. Did you mean ${method} ${address}?`,
  'not_found.action': ({ action }: { action: string }) => `This resource has no "${action}".`,
  'not_found.page_numbers': 'Invalid page. Pages are numbered from 1.',
  'not_found.last_page': ({ last }: { last: number }) => `Invalid page. The last page is ${last}.`,
  'not_found.page': 'Invalid page. The list ends before it.',
  'not_found.cursor': 'Invalid cursor. Begin again with the first page.',
  'not_found.resource_of_job': 'The resource of this job no longer exists.',
  'not_found.file_of_job': 'This job has made no file.',
  'not_found.file_is_gone': 'The file of this job is no longer there.',
  gone: ({ resource }: { resource: string }) => `The resource "${resource}" no longer exists.`,
  'gone.user': 'The user who asked for this job no longer exists.',
  'gone.rows': 'The rows of this job are no longer there.',
  'gone.file': 'The file of this job is no longer there.',
  method_not_allowed: ({
    method,
    allowed,
    address,
  }: {
    method: string
    allowed: string
    address: string | undefined
  }) =>
    `Method "${method}" is not allowed here.${allowed && ` Allowed: ${allowed}.`}${address === undefined ? '' : ` Did you mean ${address}?`}`,
  not_authenticated: 'Authentication credentials were not provided.',
  'not_authenticated.header': ({ headers }: { headers: readonly string[] }) =>
    `Authentication credentials were not provided. Send the header ${or(headers)}.`,
  'not_authenticated.scheme': ({ scheme, headers }: { scheme: string; headers: readonly string[] }) =>
    `This API does not know the scheme "${scheme}" of the header Authorization. Send the header ${or(headers)}.`,
  'not_authenticated.token': 'The token is not valid.',
  'not_authenticated.expired': 'The token has expired.',
  'not_authenticated.api_key': 'The API key is not valid.',
  'not_authenticated.background': 'Only a signed-in user can ask for background work. Sign in first.',
  'not_authenticated.import_mapping': 'Only a signed-in user can save a mapping. Sign in first.',
  not_movable: 'This record belongs to another one that you may not change, so it cannot move.',
  permission_denied: 'You do not have permission to perform this action.',
  'permission_denied.hidden_columns':
    'This import needs columns that you may not read. Ask a person who may read them to import the file.',
  'permission_denied.hidden_fields':
    'This request finds records by fields that you may not read. Ask a person who may read them to send it.',
  'permission_denied.pages': 'This list is only given in pages.',
  precondition_failed:
    'Another user has changed this record since you read it. Read it again, then repeat your change.',
  'precondition_failed.row':
    'This record has changed since this version was exported. Export it again, then repeat your change.',
  'precondition_failed.missing_row':
    'The record of this version is no longer stored. Clear the cell to store it as a new record.',
  'precondition_failed.no_version':
    'This resource has no versions, so no record has the tag in If-Match. Send the request without it.',
  'precondition_failed.unknown_tag': ({ value }: { value: string }) =>
    `No version of this record has the ETag ${value}. Send the ETag of the record as you received it.`,
  'precondition_failed.none_match': 'The record is one that If-None-Match excludes.',
  precondition_required:
    'Send the ETag of the record as the header If-Match, so that no change of another user is lost.',
  'precondition_required.item': 'Send the ETag of the record as "_etag", so that no change of another user is lost.',
  invalid_etag: ({ value }: { value: string }) =>
    `${value} is not an ETag. Send the ETag of the record as you received it, such as "1769000000000".`,
  different_etags: 'The header If-Match and "_etag" of the body name different versions. Send one of them.',
  etag_of_child:
    'A child has no tag of its own here. The version of the record around it guards it: send the ETag of that record.',
  misplaced_if_match: 'If-Match is for addresses of one record. In bulk, give each item its ETag as "_etag".',
  invalid_idempotency_key: ({ value }: { value: string }) =>
    `${value} is not an idempotency key. Send a text of 1 to 255 characters, such as a UUID.`,
  'invalid_idempotency_key.anonymous': 'Only a signed-in user can send an idempotency key. Sign in first.',
  'invalid_idempotency_key.file':
    'An answer that is a file cannot be sent again. Send this request without an idempotency key.',
  idempotency_key_reused: 'This idempotency key belongs to another request. Send a new key with a changed request.',
  idempotency_key_in_use: 'A request with this idempotency key is still running. Send it again in a moment.',
  answer_too_long: 'The request was carried out. Its answer was too long to be kept; read the records again.',
  answer_withheld: 'The request was carried out. Its answer is not shown again, since your permissions have changed.',
  'permission_denied.file': 'The file was made with other permissions or for another tenant. Export it again.',
  'not_found.before_history': ({ start }: { start: string }) => `The history of this record begins at ${start}.`,
  'does_not_exist.entry': ({ entry }: { entry: string | number }) =>
    `The history of this record has no entry ${entry}.`,
  'does_not_exist.state': ({ entry }: { entry: string | number }) => `After the entry ${entry}, there was no record.`,
  not_revertible: 'This field cannot be brought back. Change it with an update.',
  'past_state.names':
    'The history has fields that this resource no longer has, so the state of that time is not known.',
  'past_state.erased': 'Entries of this history were erased, so the state of that time is not known.',
  'past_state.unrecorded':
    'A write without a history has deleted this record since, so the state of that time is not known.',
  'past_state.other_type': 'The value of that time does not fit the type that the field has today.',
  'undone.changed': ({ user, at, fields }: Change) => `${byUser(user)} has changed ${fields.join(', ')} at ${at}.`,
  'undone.deleted': ({ user, at }: Omit<Change, 'fields'>) => `${byUser(user)} has deleted the record at ${at}.`,
  'undone.stored_again': ({ user, at }: Omit<Change, 'fields'>) =>
    `${byUser(user)} has stored a record with this identifier again at ${at}.`,
  'undone.by_job': ({ job, at, fields }: { job: string; at: string; fields: readonly string[] }) =>
    `The job ${job} has changed ${fields.length > 0 ? fields.join(', ') : 'the record'} at ${at}. Undo that job first.`,
  'undone.losses': ({ resources }: { resources: readonly string[] }) =>
    `Records of ${resources.join(', ')} that the database deleted together with it do not come back.`,
  'undone.unrecorded': ({ fields }: { fields: readonly string[] }) =>
    `A write without a history has changed ${fields.length > 0 ? fields.join(', ') : 'the record'}.`,
  'undone.redacted': ({ fields }: { fields: readonly string[] }) =>
    `The old value of ${fields.join(', ')} is not kept.`,
  'undone.dropped': ({ fields }: { fields: readonly string[] }) =>
    fields.length > 0
      ? `The model no longer has ${fields.join(', ')}.`
      : 'A field that the model no longer has does not come back.',
  'undone.other_type': ({ fields }: { fields: readonly string[] }) =>
    `The old value of ${fields.join(', ')} does not fit the type that the field has today.`,
  'undone.required': ({ fields }: { fields: readonly string[] }) =>
    `The record had no value for ${fields.join(', ')}, and the model needs one.`,
  'undone.referred': ({ resources }: { resources: readonly string[] }) =>
    `Records of ${resources.join(', ')} refer to it.`,
  'undone.some': ({ reversed, of }: { reversed: number; of: number }) =>
    `${count(reversed)} of ${count(of)} records are as before the job. The file says what became of the others.`,
  'undone.would_be_some': ({ reversed, of }: { reversed: number; of: number }) =>
    `${count(reversed)} of ${count(of)} records would be as before the job. The file says what would become of the others.`,
  not_undoable: 'The changes of this job are not recorded, so it cannot be undone.',
  'not_undoable.export': 'An export has changed nothing.',
  'not_undoable.not_ended': ({ state }: { state: string }) => `This job is still ${state}. Undo it when it has ended.`,
  'not_undoable.dry_run': 'A dry run has stored nothing.',
  'not_undoable.nothing': 'This job has changed nothing.',
  'not_undoable.running': ({ job }: { job: string }) => `The job ${job} is undoing it.`,
  'not_undoable.done': ({ job }: { job: string }) => `The job ${job} has undone it already.`,
  too_many_requests: 'The server has too many jobs that have not ended. Try again later.',
  'too_many_requests.jobs': ({ jobs }: { jobs: number }) =>
    `You have ${jobs} ${jobs === 1 ? 'job' : 'jobs'} that ${jobs === 1 ? 'has' : 'have'} not ended. Try again when one has.`,
  'too_many_requests.streams': ({ streams }: { streams: number }) =>
    `You follow ${streams} ${streams === 1 ? 'job' : 'jobs'} already. Close one of the streams, or request the job without an event stream.`,
  service_unavailable: 'The database is not available. Please try again.',
  'service_unavailable.busy': 'The database is busy. Please try again.',
  'service_unavailable.closing': 'The server is shutting down. Please try again.',
  'service_unavailable.searches': 'Other long searches are running. Please try again.',
  'service_unavailable.streams': 'Other long lists and exports are running. Please try again.',
  'service_unavailable.imports': 'Other imports are running. Please try again later.',
  'service_unavailable.pdf': 'Other PDF files are being made. Please try again later.',
  'service_unavailable.files': 'The server cannot reach its files at the moment. Please try again later.',
  'service_unavailable.disk': 'The server cannot store files at the moment. Please try again later.',
  'service_unavailable.keys': 'The server cannot get the keys that it checks tokens with. Please try again.',
  'service_unavailable.unknown_outcome':
    'The connection to the database was lost while it stored your change. Read the record to see whether it is stored.',
  internal_error: ({ id }: { id: string }) => `Something went wrong on our side. Please quote error id ${id}.`,

  // The request itself.
  malformed: 'The request is malformed.',
  'malformed.http': 'The request is not valid HTTP.',
  'malformed.url': 'The URL is malformed.',
  'malformed.percent': 'The URL is malformed: a % must be followed by two hexadecimal digits of valid UTF-8.',
  'malformed.nul_in_url': 'The URL has NUL characters (%00). Remove them.',
  'malformed.host': 'The Host header is malformed.',
  'malformed.hosts': 'Send one Host header.',
  'malformed.protocol': 'The X-Forwarded-Proto header is malformed.',
  'malformed.empty': 'The body is empty.',
  'malformed.json': 'The body is not valid JSON.',
  'malformed.json_at': ({ place, expected, found }: { place: Shown; expected: Shown; found: string | undefined }) =>
    `The body is not valid JSON at ${place}: expected ${expected}, ${found === undefined ? 'but it ends there' : `found ${found}`}.`,
  'malformed.place': ({ line, column }: { line: number; column: number }) => `line ${line}, column ${column}`,
  'json.end': 'the end of the body',
  'json.value': 'a value',
  'json.comma_or_bracket': '"," or "]"',
  'json.comma_or_brace': '"," or "}"',
  'json.key': 'a key in double quotes',
  'json.key_or_no_comma': 'a key after the comma, or no comma',
  'json.colon': '":"',
  'json.escape': 'an escape of JSON, such as \\n',
  'json.escaped_control': 'control characters to be escaped',
  'json.closing_quote': 'a closing quote',
  'size.megabytes': ({ size }: { size: number }) => `${size} MB`,
  'size.bytes': ({ size }: { size: number }) => `${size} bytes`,
  'malformed.utf8': ({ place }: { place: Shown }) => `The body is not valid UTF-8 at ${place}. Send it as UTF-8.`,
  'malformed.too_deep': ({ levels, place }: { levels: number; place: Shown }) =>
    `The body is nested deeper than ${levels} levels at ${place}.`,
  'malformed.number': ({ number }: { number: string }) => `${number} is not a number in JSON.`,
  'malformed.repeated_key': 'This key is given more than once.',
  'malformed.key': ({ key, problem }: { key: string; problem: Shown }) => `The key ${key} is not valid. ${problem}`,
  'malformed.forbidden_key': ({ key }: { key: string }) => `The key ${key} is not allowed here.`,
  'malformed.nul': 'NUL characters are not allowed.',
  'malformed.surrogate': ({ character }: { character: string }) =>
    `Surrogate characters are not allowed: ${character}.`,
  'malformed.inexact_integer': 'This integer is too large to be exact as a number. Send it as a string.',
  'malformed.huge_number': 'This number is too large.',
  'malformed.inexact_number': ({ value }: { value: string }) =>
    `This number cannot be held exactly: it would become ${value}. Send it as a string.`,
  'malformed.cut_off': 'The body was cut off.',
  'malformed.multipart': 'The body is not valid multipart/form-data.',
  'malformed.boundary': 'The Content-Type header names no boundary.',
  'malformed.upload_cut_off': 'The upload was cut off.',
  'malformed.closed': 'The client has closed the connection.',
  unsupported_media_type: 'Send the body as application/json.',
  'unsupported_media_type.utf8': 'Send the body as application/json, in UTF-8.',
  'unsupported_media_type.encoding': 'Send the body as it is, without content-encoding.',
  'unsupported_media_type.multipart': 'Send the file as multipart/form-data.',
  payload_too_large: ({ limit }: { limit: Shown | undefined }) =>
    `The body is too large.${limit === undefined ? '' : ` The limit is ${limit}.`}`,
  'payload_too_large.file': ({ limit }: { limit: Shown }) => `The file is larger than ${limit}.`,
  request_timeout: 'The request took too long to arrive.',
  'request_timeout.stopped': 'The upload stopped.',
  'request_timeout.upload': 'The upload took too long.',
  headers_too_large: 'The URL and the headers are too large.',
  expectation_failed: 'Only "Expect: 100-continue" can be met.',

  // Query parameters.
  repeated: 'Give this parameter once.',
  unknown_parameter: ({ name, hint }: { name: string; hint: Shown }) => `Unknown parameter "${name}". ${hint}`,
  'hint.did_you_mean': ({ name }: { name: string }) => `Did you mean "${name}"?`,
  'hint.known': ({ names, more }: Names) => `Known parameters: ${listed(names, more)}.`,
  'hint.none': 'This action reads no parameters.',
  'hint.body': 'Send it in the body, not in the address.',
  'hint.paging': ({ names }: { names: readonly string[] }) => `This list is paged by ${and(names)}.`,
  'hint.lookups': ({ field, names, more }: Names & { field: string }) =>
    `"${field}" can be filtered by ${listed(names, more)}.`,
  invalid_expression: ({ at }: { at: number }) =>
    `This expression cannot be read at character ${at}. Write conditions in brackets with commas between them, as in (rating__gte=4,and(kind=new,name="a, b")).`,
  'invalid_expression.depth': ({ max }: { max: number }) => `Conditions can stand in at most ${max} brackets.`,
  'invalid_expression.size': ({ max }: { max: number }) => `An expression can have at most ${max} conditions.`,
  too_many_tables: ({ max }: { max: number }) =>
    `This request asks for too many related records at once: at most ${max} tables. Send fewer filters.`,
  invalid_parameter: ({ expected }: { expected: Shown }) => `Enter ${expected}.`,
  'expected.text': 'a text',
  'expected.whole': ({ min, max }: { min: string; max: string }) => `a whole number from ${min} to ${max}`,
  'expected.whole_number': 'a whole number, such as 42',
  'expected.number': 'a number, such as 12.5',
  'expected.boolean': 'true or false',
  'expected.row': 'the number of a row, or in a workbook the numbers by sheet: {"Prices": 4}',
  'expected.date': 'a date, such as 2026-01-15',
  'expected.datetime': 'a date or a datetime, such as 2026-01-15T10:30:00Z',
  'expected.time': 'a time of day, such as 10:30',
  'expected.uuid': 'a valid UUID',
  'expected.key': ({ key, value }: { key: string; value: Shown }) => `the "${key}" of the related record: ${value}`,
  'expected.choice': ({ choices }: { choices: string }) => `one of: ${choices}`,
  'expected.list': ({ each }: { each: Shown }) => `values with commas between them, each ${each}`,
  'expected.pair': ({ each }: { each: Shown }) => `two values with a comma between them, each ${each}`,
  'expected.year': 'a year of four digits, such as 2026',
  'expected.state': 'active, deleted or all',
  'expected.page': 'a whole number above 0',
  'expected.offset': 'a whole number that is not negative',
  unknown_ordering: ({ name, known }: { name: string; known: string }) =>
    `You cannot order by "${name}". Known fields: ${known}.`,
  'unknown_ordering.direction': ({ name, meant }: { name: string; meant: string }) =>
    `You cannot order by "${name}". Did you mean "${meant}"?`,
  'unknown_ordering.too_many': ({ max, known }: { max: number; known: string }) =>
    `You can order by at most ${max} fields. Known fields: ${known}.`,
  search_too_long: ({ max }: { max: number }) => `Search for at most ${max} characters.`,
  'search_too_long.words': ({ max }: { max: number }) => `Search for at most ${max} words.`,

  // Uploads, and the options of an import.
  no_file: 'No file was submitted. Send it as the part "file".',
  'no_file.empty': 'The submitted file is empty. Choose another one.',
  'no_file.name': 'The submitted data was not a file: its part has no file name.',
  'repeated.file': 'Send one file at a time.',
  'repeated.field': 'Give this field once.',
  'repeated.differently': 'The form and the address contradict each other; give this value once.',
  too_many_parts: ({ max }: { max: number }) => `Send one file and ${max} fields at most.`,
  misplaced: 'Send this field as a part of the form, not in the address.',
  dry_run_only: 'This option needs a dry run: send dry_run=true as well.',
  invalid_mapping:
    'Send a JSON object with the field for each header, or null to leave it out: {"Airport code": "iata"}.',
  invalid_values:
    'Send a JSON object with other values for the texts of each header, or null for none: {"Country": {"Norge": "NO"}}.',
  'invalid_values.sensitive': ({ column }: { column: string }) =>
    `"${column}" is sensitive, so its cells cannot be changed here.`,
  invalid_headers: 'Send the headers of the file as a list of texts, or a JSON object with such a list for each sheet.',
  too_many_import_mappings: ({ max }: { max: number }) =>
    `There are ${count(max)} saved mappings already, and more are not allowed. Delete one first.`,
  no_background: 'This API does nothing in the background.',
  'no_background.too_large': 'These options are too large for background work.',
  own_rows_only: 'This resource exports its own rows only.',
  invalid_delimiter: ({ value }: { value: string }) => `${value} is not a delimiter. Choose one of: "," ";" "\\t".`,
  invalid_encoding: ({ encoding, example }: { encoding: string; example: string }) =>
    `"${encoding}" is not an encoding. Write it like "${example}".`,
  invalid_locale: ({ locale, example }: { locale: string; example: string }) =>
    `"${locale}" is not a language tag. Write it like "${example}".`,
  'invalid_locale.unknown': ({ locale }: { locale: string }) => `Nothing is known of the language "${locale}".`,
  'invalid_locale.calendar': ({ locale, calendar, gregorian }: Record<'locale' | 'calendar' | 'gregorian', string>) =>
    `"${locale}" has the calendar "${calendar}", which files cannot have. Write "${gregorian}".`,
  unknown_setting: ({ names, known }: { names: readonly string[]; known: string }) =>
    `Unknown ${names.length === 1 ? 'setting' : 'settings'} ${names.map(quote).join(', ')}. Known settings: ${known}.`,
  unknown_field: ({ names, more, known }: { names: readonly string[]; more: number; known: string }) =>
    `Unknown ${names.length === 1 ? 'field' : 'fields'} ${listed(names.map(quote), more)}. Known fields: ${known}.`,
  'unknown_field.shown': ({ name, hint }: { name: string; hint: Shown }) => `There is no field "${name}". ${hint}`,
  missing_package: ({ format, packages, choices }: { format: string; packages: string; choices: string }) =>
    `"${format}" needs packages that this server does not have: ${packages}. Choose one of: ${choices}.`,

  // Files that cannot be read or written.
  unreadable: 'The file is empty.',
  'unreadable.xls': 'The workbook is damaged. Open it in a spreadsheet program and save it as XLSX.',
  'unreadable.xlsx': 'The workbook is damaged. Open it in a spreadsheet program and save it again.',
  'unreadable.doctype': 'The workbook has a document type declaration, which workbooks must not have.',
  'unreadable.entity': 'The workbook uses an XML entity that workbooks must not have.',
  'unreadable.nul': 'The file has NUL characters, so it is damaged or no text file. Save it again as CSV UTF-8.',
  'unreadable.open_quote': ({ row }: { row: number }) =>
    `Row ${row} has a quote (") that is never closed. Close or remove it.`,
  'unreadable.quote': ({ row }: { row: number }) =>
    `Row ${row} has text behind the closing quote (") of a cell. Double each quote that belongs to the text.`,
  'unreadable.bytes': ({ row, encoding }: { row: number; encoding: string }) =>
    `Row ${row} has bytes that are no text in the encoding ${encoding}. Save the file as CSV UTF-8, or name its encoding.`,
  'unreadable.encoding':
    'The file is neither UTF-8 nor Windows-1252. Save it as CSV UTF-8, or name its encoding, as in encoding=windows-1251.',
  encrypted: 'The workbook is protected by a password: save it without one.',
  wrong_format: ({ found, formats }: { found: Shown; formats: readonly string[] }) =>
    `The file seems to be ${found}. Send ${or(formats)}.`,
  'wrong_format.unknown': ({ formats }: { formats: readonly string[] }) =>
    `The file is neither text nor a workbook. Send ${or(formats)}.`,
  'wrong_format.spreadsheet': ({ found, format }: { found: Shown; format: string }) =>
    `The file seems to be ${found}. Open it in a spreadsheet program, save it as ${format} (Save As, .${format.toLowerCase()}) and send the new file.`,
  'content.csv': 'a CSV file',
  'content.xls': 'an XLS file',
  'content.xlsx': 'an XLSX file',
  'content.pdf': 'a PDF document',
  'content.png': 'a PNG picture',
  'content.jpeg': 'a JPEG picture',
  'content.gif': 'a GIF picture',
  'content.archive': ({ type }: { type: string }) => `a ${type} archive`,
  'content.rtf': 'an RTF document',
  'content.sqlite': 'a SQLite database',
  'content.parquet': 'a Parquet file',
  'content.program': 'a program',
  'content.xml': 'an XML document',
  'content.html': 'a web page (HTML)',
  'content.json': 'JSON',
  'content.word': 'a Word document',
  'content.presentation': 'a presentation',
  'content.xlsb': 'a binary workbook (XLSB)',
  'content.ods': 'an OpenDocument spreadsheet (ODS)',
  too_large: ({ limit }: { limit: Shown }) => `The file is larger than ${limit}.`,
  'too_large.rows': ({ max }: { max: number }) => `There are more than ${max} rows.`,
  'too_large.sheet_rows': ({ max }: { max: number }) => `A sheet has more than ${max} rows.`,
  'too_large.row_columns': ({ row, max }: { row: number; max: number }) => `Row ${row} has more than ${max} columns.`,
  'too_large.cell': ({ row, max }: { row: number; max: number }) =>
    `Row ${row} has a cell of more than ${max} characters.`,
  'too_large.row': ({ row, max }: { row: number; max: number }) => `Row ${row} has more than ${max} characters.`,
  'too_large.all': ({ row, max }: { row: number; max: number }) =>
    `Up to row ${row}, the text has more than ${max} characters in all. Split the file.`,
  'too_large.sheets': ({ max }: { max: number }) => `The workbook has more than ${max} sheets.`,
  'too_large.columns': ({ max }: { max: number }) => `A sheet has ${max} columns at most.`,
  'too_large.record': ({ row, bytes }: { row: number; bytes: number }) =>
    `Row ${row} is longer than ${bytes} bytes: it may have a quote (") that is not closed.`,
  'too_large.text': ({ max }: { max: number }) => `The workbook has a text of more than ${max} characters.`,
  'too_large.long_text': 'The workbook has a text that is too long.',
  'too_large.unpacked': ({ bytes }: { bytes: number }) =>
    `Unpacked, the workbook would take ${bytes} bytes, which is too much. Split it.`,
  'too_large.parts': ({ max }: { max: number }) => `The workbook has more than ${max} parts.`,
  'too_large.zip': 'A workbook cannot be larger than 4 GiB.',
  'too_large.memory': 'The workbook needs too much memory; split it into smaller ones or save it as CSV.',
  'too_large.pdf_memory': 'The PDF needs too much memory; export fewer rows.',
  'too_large.pdf_columns': ({ max }: { max: number }) => `A PDF has ${max} columns at most.`,
  'too_large.pdf_characters': ({ max }: { max: number }) =>
    `A PDF has ${count(max)} different characters at most; export fewer rows, or CSV or XLSX.`,
  out_of_time: 'The workbook takes too long to read; split it into smaller ones or save it as CSV.',
  'out_of_time.pdf': 'The PDF took too long to make; export fewer rows.',
  too_many_rows: ({ format, max, rows }: { format: string; max: number; rows: number }) =>
    `A ${format} file takes ${count(max)} rows at most; these are ${count(rows)}. Filter them.`,
  'too_many_rows.pdf': ({ max, rows }: { max: number; rows: number }) =>
    `A pdf file takes ${count(max)} rows at most; these are ${count(rows)}. Filter them, or choose csv or xlsx.`,
  text_cut: ({ cells }: { cells: number }) =>
    cells === 1
      ? '1 cell had more than 32,767 characters and was cut.'
      : `${cells} cells had more than 32,767 characters and were cut.`,
  missing_glyphs: ({ count, characters }: { count: number; characters: string }) =>
    `No font has these ${count} characters: ${characters}`,

  // Columns and sheets of an import.
  missing_column: ({ column, others }: { column: string; others: readonly string[] }) =>
    `The column "${column}" is missing${others.length === 0 ? '' : `; it may also be called ${or(others.map(quote))}`}.`,
  repeated_column: ({ count, column }: { count: number; column: string }) =>
    `The file has ${count} columns "${column}". Keep one of them.`,
  'missing_column.none': 'The file has no columns.',
  'missing_column.other_row': 'If the names of the columns stand in another row, send its number as "header_row".',
  'missing_column.found': ({
    columns,
    more,
    row,
  }: {
    columns: readonly string[]
    more: number
    row?: number | undefined
  }) =>
    `The header (${row === undefined ? 'the first row' : `row ${row}`}) has the ${columns.length + more === 1 ? 'column' : 'columns'} ${listed(columns.map(quote), more)}.`,
  invalid_header_row: ({ row, sheet }: { row: number; sheet: string }) =>
    `Row ${row} cannot be the header${sheet === '' ? '' : ` of the sheet "${sheet}"`}: it is blank, or not among the first 30 rows with content.`,
  'invalid_header_row.csv_sheet': ({ sheet }: { sheet: string }) =>
    `The file has no sheet "${sheet}", since it is CSV; send the number alone.`,
  'invalid_header_row.unknown_sheet': ({ sheet, hint }: { sheet: string; hint: Shown }) =>
    `The file has no sheet "${sheet}". ${hint}`,
  'invalid_header_row.unread_sheet': ({ sheet, hint }: { sheet: string; hint: Shown }) =>
    `The sheet "${sheet}" is not imported. ${hint}`,
  missing_sheet: ({ sheet }: { sheet: string }) => `The workbook has no sheet "${sheet}".`,
  'missing_sheet.found': ({ sheets, more }: { sheets: readonly string[]; more: boolean }) =>
    `Its sheets are: ${sheets.map(quote).join(', ')}${more ? ', ...' : '.'}`,
  'missing_sheet.rename': ({ sheet }: { sheet: string }) =>
    `Call the sheet with the rows "${sheet}", or keep one sheet.`,
  'missing_sheet.needed': ({ sheets }: { sheets: readonly string[] }) =>
    `Put all columns into one sheet, or name the sheets ${and(sheets.map(quote))}.`,
  template_is_at: ({ problem, address }: { problem: Shown; address: string }) =>
    `${problem} The template is at ${address}`,
  'invalid_mapping.file': 'The mapping does not fit the file.',
  'invalid_mapping.column': ({ column, hint }: { column: string; hint: Shown }) =>
    `The file has no column "${column}". ${hint}`,
  'invalid_mapping.repeated': ({ column }: { column: string }) => `"${column}" is given twice.`,
  'invalid_mapping.several': ({ count, column, first }: { count: number; column: string; first: string }) =>
    `The file has ${count} columns "${column}"; write "${first}" for the first.`,
  'invalid_mapping.both': ({ one, other, field }: { one: string; other: string; field: string }) =>
    `"${one}" and "${other}" cannot both be imported as "${field}".`,
  'invalid_mapping.field': ({ column, field, hint }: { column: string; field: string; hint: Shown }) =>
    `"${column}": "${field}" is not imported. ${hint}`,
  'invalid_mapping.ambiguous': ({ column, fields }: { column: string; fields: readonly string[] }) =>
    `"${column}": which one? Write ${or(fields.map(quote))}.`,
  'invalid_mapping.sheet': ({ sheet, hint }: { sheet: string; hint: Shown }) =>
    `The file has no sheet "${sheet}". ${hint}`,
  'invalid_mapping.csv_sheet': ({ sheet }: { sheet: string }) =>
    `The file has no sheet "${sheet}", since it is CSV; name its columns without one, {"Airport code": "iata"}.`,
  'invalid_mapping.unread_sheet': ({ sheet, hint }: { sheet: string; hint: Shown }) =>
    `The sheet "${sheet}" is not imported. ${hint}`,
  'invalid_mapping.by_sheet': ({ sheet }: { sheet: string }) =>
    `Several sheets are imported: name the columns by their sheet, {"${sheet}": {...}}.`,
  'hint.names': ({ names }: { names: readonly string[] }) => `Known: ${names.map(quote).join(', ')}.`,
  nothing_to_replace: 'The file has no rows, so nothing was replaced.',
  'nothing_to_replace.skipped': 'All rows that would replace something were skipped, so nothing was replaced.',

  // The outcome of a restore, of an import and of a job.
  restored: 'The record was restored.',
  'restored.active': 'The record was not deleted, so it has not changed.',
  'imported.no_rows': 'The file has no rows below its header, so nothing was imported.',
  'imported.would_fail': ({ failed, of }: { failed: number; of: number }) =>
    `${rowsOf(failed, of)} would fail. This was a dry run: nothing was stored.`,
  'imported.not_replaced': ({ failed, of }: { failed: number; of: number }) =>
    `${rowsOf(failed, of)} failed, so nothing was replaced: all is as it was before.`,
  'imported.all_failed': ({ failed, of }: { failed: number; of: number }) =>
    `${rowsOf(failed, of)} failed; nothing was stored.`,
  'imported.rolled_back': ({ failed, of }: { failed: number; of: number }) =>
    `${rowsOf(failed, of)} failed, so nothing was stored: all is as it was before.`,
  'imported.some_failed': ({ failed, of, stored }: { failed: number; of: number; stored: number }) =>
    `${rowsOf(failed, of)} failed; the other ${stored} ${stored === 1 ? 'was' : 'were'} stored.`,
  'imported.mixed': ({ failed, of, stored, deleted, unchanged, skipped }: Record<ImportCount, number>) =>
    `${rowsOf(failed, of)} failed; of the others, ${present([
      [stored, `${stored} stored`],
      [deleted, `${deleted} deleted`],
      [unchanged, `${unchanged} unchanged`],
      [skipped, `${skipped} skipped`],
    ])}.`,
  'imported.file_has_all': ({ message }: { message: Shown }) =>
    `${message} The file has all rows: put it right and send it again.`,
  'imported.before': ({ problem, rows, created, updated, deleted }: StoredBefore) =>
    `${problem} The first ${rows} rows were imported before that (${created} created, ${updated} updated${deleted > 0 ? `, ${deleted} deleted` : ''}).`,
  'imported.ended_early': ({ problem }: { problem: Shown }) => `${problem} The same file can be imported again.`,
  'job.cancelled': 'Cancelled.',
  imported_before: ({ day, job }: { day: string; job: string }) =>
    `This file was imported on ${day} already, by the job ${job}.`,
  job_has_ended: 'This job has ended already.',
  job_not_ended: ({ state }: { state: string }) => `This job is still ${state}; ask for its file when it has ended.`,
  'job.crashed': ({ times }: { times: number }) =>
    `The server has stopped ${times} times while it worked on this job, which made no progress.`,
  'job.nothing_stored': ({ reason }: { reason: Shown }) => `${reason} Nothing was stored.`,

  // Templates, files of failed rows, and PDF.
  'template.required': 'Required.',
  'template.optional': 'Optional.',
  'template.takes_blank': 'Optional: an empty cell is an empty text.',
  'template.text': 'Text.',
  'template.text_of': ({ max }: { max: number }) => `Text of up to ${max} characters.`,
  'template.choice': ({ choices }: { choices: string }) => `One of: ${choices}.`,
  'template.whole': 'A whole number.',
  'template.number': 'A number.',
  'template.decimal': ({ digits }: { digits: number }) => `A number with up to ${digits} digits behind the point.`,
  'template.boolean': 'true or false.',
  'template.date': 'A date: YYYY-MM-DD.',
  'template.datetime': 'A date and time, such as 2026-01-15T10:30:00Z.',
  'template.time': 'A time of day, such as 10:30.',
  'template.uuid': 'A UUID.',
  'template.json': 'JSON.',
  'template.list': 'A list, such as a, b. An item with a comma is in quotes: "a, b".',
  'template.bytes': 'Bytes as base64.',
  'template.bytes_of': ({ max }: { max: number }) => `Up to ${max} bytes, as base64.`,
  'template.number_form': ({ grouped, plain }: { grouped: string; plain: string }) =>
    `Write a number as ${grouped} or ${plain}.`,
  'template.date_form': ({ local }: { local: string }) => `Write a date as ${local} or 2026-12-31.`,
  'template.datetime_form': ({ local }: { local: string }) => `Write a date and time as ${local} or 2026-12-31T14:30.`,
  'template.boolean_form': ({ yes, no }: { yes: string; no: string }) => `Or ${yes} and ${no}.`,
  'template.value': ({ field, record, example }: ValueName) =>
    `The ${field} of ${withArticle(record)}${example === undefined ? '' : `, such as ${example}`}.`,
  'template.stored': 'It must be stored already.',
  'template.stored_or_above': 'It must be stored already, or stand in a row above.',
  'template.of_sheet': ({ sheet }: { sheet: string }) => `It must stand on the sheet "${sheet}", or be stored already.`,
  'template.several': ({ separator }: { separator: string }) =>
    `Separate several with "${separator}"; the record is linked to exactly these.`,
  'template.records': 'A list in JSON, with an object for each entry. An empty cell leaves a stored list as it is.',
  'template.deletes': ({ words }: { words: readonly string[] }) =>
    `A row with ${or(words.map(quote))} deletes its record. Its other cells are ignored, except those that identify the record.`,
  'template.update_create': ({ fields }: { fields: string }) =>
    `A row updates the record that has the same ${fields}; if there is none, it creates one.`,
  'template.update_skip': ({ fields }: { fields: string }) =>
    `A row updates the record that has the same ${fields}; if there is none, the row is left out.`,
  'template.update_fail': ({ fields }: { fields: string }) =>
    `A row updates the record that has the same ${fields}; there must be one.`,
  'template.skip_create': ({ fields }: { fields: string }) =>
    `A row leaves the record that has the same ${fields} as it is; if there is none, it creates one.`,
  'template.skip_skip': ({ fields }: { fields: string }) =>
    `A row leaves the record that has the same ${fields} as it is; if there is none, the row is left out.`,
  'template.skip_fail': ({ fields }: { fields: string }) =>
    `A row leaves the record that has the same ${fields} as it is; there must be one.`,
  'template.fail_create': ({ fields }: { fields: string }) =>
    `No record may have the same ${fields} already; the row creates one.`,
  'template.fail_skip': ({ fields }: { fields: string }) =>
    `No record may have the same ${fields} already, and rows create none. Only rows that delete a record can be imported.`,
  'template.fail_fail': ({ fields }: { fields: string }) =>
    `A row can only delete the record that has the same ${fields}; any other row fails.`,
  'template.example_row': 'This row is an example. Write over it or delete it: as it is, an import skips it.',
  'template.guide': 'How to fill this in',
  'template.guide_sheet': 'Sheet',
  'template.guide_column': 'Column',
  'template.guide_rule': 'What it takes',
  'template.guide_example': 'Example',
  'template.guide_choices': 'Allowed values',
  'template.more_choices': ({ choices, more }: { choices: string; more: number }) =>
    `${choices} and ${count(more)} more`,
  'template.edit_id': 'ID (do not change)',
  'template.edit_id_note': 'This finds the record of the row. Leave it empty for a new record.',
  'template.edit_mark': 'Delete?',
  'template.edit_mark_other': 'Delete this record?',
  'template.edit_mark_note': ({ yes }: { yes: string }) =>
    `Choose "${yes}" to delete the record of this row. If the row has other changes, it fails.`,
  'template.edit_guide': 'How to edit this',
  'template.edit_change': 'To change a value, write over its cell. All other cells keep their stored values.',
  'template.edit_add': ({ id }: { id: string }) => `To add a record, write a new row, and leave "${id}" empty.`,
  'template.edit_delete': ({ yes, mark }: { yes: string; mark: string }) =>
    `To delete a record, choose "${yes}" in the column "${mark}".`,
  'template.edit_keep': 'If you remove a row from this file, its record stays as it is.',
  'template.edit_read_only': 'Grey columns are for reading only.',
  'template.edit_arrange': ({ id }: { id: string }) =>
    `You may sort and filter rows, and move columns. Do not change headers, and nothing in "${id}".`,
  'template.edit_send': 'Then import this file. Rows with errors come back in a file that says what is wrong.',
  'template.read_only': 'This column is for reading only. Changes in it are ignored.',
  'too_many_rows.edit': ({ rows, max }: { rows: number; max: number }) =>
    `A file for editing has at most ${max} records, and these are ${rows}. Choose fewer with a filter.`,
  'invalid_edit_file.damaged': 'The hidden sheet of this file is damaged. Export the records again.',
  'invalid_edit_file.other_records': 'This file was exported from other records. Import it there.',
  'invalid_edit_file.no_ids': ({ column }: { column: string }) =>
    `No sheet has the column "${column}", which finds the record of each row.`,
  'invalid_edit_file.renamed': ({ columns, others }: { columns: readonly string[]; others: readonly string[] }) =>
    `The ${columns.length === 1 ? 'column' : 'columns'} ${and(columns.map(quote))} ${columns.length === 1 ? 'is' : 'are'} unknown, and ${and(others.map(quote))} ${others.length === 1 ? 'is' : 'are'} missing. Give the columns their old headers.`,
  'invalid_edit_file.replace':
    'An edited file changes single records, so it cannot replace all of them. Send append_data=true.',
  'invalid_edit_file.no_import':
    'Files of this resource cannot be edited. That needs an import of workbooks that updates records, and a primary key of one column.',
  'invalid_edit_file.format': 'A file for editing is a workbook. Send "xlsx".',
  'invalid_edit_file.own_columns': 'A file for editing has the columns and rows of the import. Leave this field out.',
  'invalid_edit_file.marked': ({ rows, column }: { rows: number; column: string }) =>
    `${count(rows)} ${rows === 1 ? 'row is' : 'rows are'} marked for deletion. Send delete_marked=true to delete the records, or empty the column "${column}".`,
  'invalid_edit_file.no_delete': ({ column }: { column: string }) =>
    `This resource deletes no records. Empty the column "${column}".`,
  'invalid.no_new_rows': 'This import adds no records. Remove this row.',
  not_written: 'This cell was edited, but it is not written: you may not change it, or it is not part of the import.',
  'invalid_edit_file.two_sheets': ({ names }: { names: readonly string[] }) =>
    `The sheets ${and(names.map(quote))} both have the IDs. Remove the one that is not meant.`,
  'invalid_edit_file.no_base':
    'The hidden sheet of this file is missing, so it does not show what was edited. Export the records again. To import all rows as they are, delete the column with the IDs.',
  'invalid.no_result': 'This formula has no result. Open the file in a spreadsheet program and save it.',
  'invalid_edit_file.not_editable': 'This import changes no stored records, so its files cannot be edited.',
  'does_not_exist.edited_id': ({ id }: { id: string }) =>
    `This file has no record with the ID ${id}. Leave the ID of a new record empty.`,
  'does_not_exist.edited': 'There is no such record any longer, or you may not see it.',
  'repeated.id': 'Another row has the same ID. Clear the ID in the row that is new.',
  'invalid.not_whole': 'The file does not have the whole value of this cell, so it cannot be changed here.',
  'invalid.mark': ({ yes }: { yes: string }) => `Write "${yes}" to delete this record, or empty the cell.`,
  'conflict.edited': ({ before, now, yours }: { before: string; now: string; yours: string }) =>
    `This value has changed since the export. It was ${before}, and is now ${now}. You wrote ${yours}.`,
  'conflict.marked': ({ columns }: { columns: readonly string[] }) =>
    `This row is marked for deletion, but its record has changed since the export${columns.length === 0 ? '' : `: ${and(columns.map(quote))}`}.`,
  'repeated.marked': 'Another row has the same ID, so no record was deleted. Remove one of the rows.',
  'failed_rows.errors': 'Errors',
  'failed_rows.import_errors': 'Import errors',
  'failed_rows.left_out': ({ columns }: { columns: readonly string[] }) =>
    `This file lacks the sensitive ${columns.length === 1 ? 'column' : 'columns'} ${and(columns.map(quote))}. Stored values stay. A new record gets none, unless you add ${columns.length === 1 ? 'it' : 'them'} again.`,
  'pdf.page': ({ page, pages }: { page: string; pages: string }) => `Page ${page} of ${pages}`,
  'pdf.rows': ({ rows }: { rows: string }) => `Rows: ${rows}`,
  'pdf.filters': ({ filters }: { filters: string }) => `Filters: ${filters}`,
  'pdf.missing': ({ sign }: { sign: string }) =>
    `${sign} stands for a character that no font of this file has. The stored data has it.`,
  'pdf.utc': 'Times are in UTC',
  'pdf.yes': 'Yes',
  'pdf.no': 'No',
  // The page at the root of an API.
  'root.resources': 'Resources',
  'root.records': ({ records }: { records: number }) => `${count(records)} ${records === 1 ? 'record' : 'records'}`,
  'root.no_resources': 'There is no list for you.',
  'root.anonymous': 'You are not signed in. Lists that need a user are left out.',
  'root.allowed': 'Only lists that you may read are here.',
  'root.json': 'Programs get JSON at this address:',
  'root.descriptions': 'Descriptions',
  'root.reference': 'Reference',
  'root.document': 'OpenAPI document',
  'root.schema': 'Schema',
} as const

/** A text, or a message that becomes one. */
type Shown = string | { toString(): string }

/** The type of a JSON value, or `nothing` for a missing one. */
type JsonType = 'nothing' | 'null' | 'array' | 'object' | 'string' | 'number' | 'boolean'

const FOUND: Readonly<Record<JsonType, string>> = {
  nothing: 'nothing',
  null: 'null',
  array: 'an array',
  object: 'an object',
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
}

type Names = {
  readonly names: readonly string[]
  /** How many there are besides. */
  readonly more: number
}

type Change = {
  readonly user: string | null
  readonly at: string
  readonly fields: readonly string[]
}

function byUser(user: string | null): string {
  return user === null ? 'Another writer' : `The user ${user}`
}

type ValueName = {
  readonly field: string
  readonly record: string
  readonly example: string | undefined
}

type MissingRecords = {
  readonly records: string
  readonly field: string
  readonly values: readonly string[]
  readonly more: number
}

type RestrictedRecords = {
  readonly resources: readonly string[]
  readonly keys: readonly string[]
  /** The number of further records. */
  readonly more: number
}

type StoredBefore = {
  readonly problem: Shown
  readonly rows: number
  readonly created: number
  readonly updated: number
  readonly deleted: number
}

type ImportCount = 'failed' | 'of' | 'stored' | 'deleted' | 'unchanged' | 'skipped'

function count(rows: number): string {
  return rows.toLocaleString('en-US')
}

function and(items: readonly string[]): string {
  return joined(items, 'and')
}

function or(items: readonly string[]): string {
  return joined(items, 'or')
}

function listed(items: readonly string[], more: number): string {
  return more > 0 ? `${items.join(', ')} and ${more} more` : items.join(', ')
}

function rowsOf(failed: number, of: number): string {
  return `${failed} of ${of} ${of === 1 ? 'row' : 'rows'}`
}
