import { joined, present } from './joined.ts'
import type { Translation } from './message.ts'

/** The catalogue in German: see `english.ts`. */
export const german: Translation = {
  // Fields of a request, and cells of a file.
  required: 'Dieses Feld ist ein Pflichtfeld.',
  'required.similar': ({ sent, meant }) =>
    `Dieses Feld ist ein Pflichtfeld. Gesendet wurde „${sent}“; meinten Sie „${meant}“?`,
  ignored: ({ sent, meant }) => `„${sent}“ wurde nicht beachtet; meinten Sie „${meant}“?`,
  'required.cell': 'Diese Zelle ist leer, muss aber einen Wert enthalten.',
  'required.column': ({ column }) => `Die Spalte „${column}“ fehlt, und prepareRow liefert keinen Wert dafür.`,
  'required.append':
    'Dieses Feld ist ein Pflichtfeld: „true“ fügt Datensätze hinzu, „false“ ersetzt die gespeicherten.',
  null: 'Dieses Feld braucht einen Wert: null ist nicht erlaubt.',
  blank: 'Dieses Feld braucht einen Text, der nicht leer ist.',
  empty: 'Diese Liste ist leer. Senden Sie mindestens einen Eintrag.',
  invalid: 'Dieser Wert ist ungültig.',
  'invalid.error_id': ({ id }) =>
    `Dieser Wert wird nicht angenommen. Bitte nennen Sie bei Rückfragen die Fehler-ID ${id}.`,
  'invalid.row': ({ id }) => `Diese Zeile wird nicht angenommen. Bitte nennen Sie bei Rückfragen die Fehler-ID ${id}.`,
  'invalid.together': ({ fields }) => `Die Werte von ${fields} passen nicht zusammen.`,
  'invalid.error_cell': ({ error }) => `Die Zelle enthält den Fehler ${error}. Tragen Sie stattdessen einen Wert ein.`,
  'invalid.error_cell_of': ({ column, error }) =>
    `Die Zelle in der Spalte „${column}“ enthält den Fehler ${error}. Tragen Sie stattdessen einen Wert ein.`,
  text_behind_quote:
    'In dieser Zeile steht Text hinter einem schließenden Anführungszeichen ("). Er wurde als Rest der Zelle gelesen.',
  guessed_encoding: ({ encoding }) =>
    `Die Kodierung der Datei wurde geraten: ${encoding}. Prüfen Sie die Sonderzeichen, speichern Sie die Datei als CSV UTF-8, oder nennen Sie ihre Kodierung.`,
  hidden_rows: ({ sheet, rows }) =>
    `Im Blatt „${sheet}“ ${rows === 1 ? 'ist 1 Zeile' : `sind ${count(rows)} Zeilen`} ausgeblendet, vielleicht durch einen Filter. Ausgeblendete Zeilen werden wie andere gelesen.`,
  hidden_columns: ({ sheet, columns }) =>
    `Im Blatt „${sheet}“ ${columns.length === 1 ? 'ist die Spalte' : 'sind die Spalten'} ${columns.map(quote).join(', ')} ausgeblendet. Ausgeblendete Spalten werden wie andere gelesen.`,
  lost_columns: ({ columns }) =>
    `In dieser Datei ${columns.length === 1 ? 'fehlt die Spalte' : 'fehlen die Spalten'} ${and(columns.map(quote))}. Gespeicherte Werte bleiben.`,
  merged_cells: ({ sheet, areas, cells }) =>
    `Im Blatt „${sheet}“ sind Zellen verbunden (${areas === 1 ? '1 Bereich' : `${count(areas)} Bereiche`}). Nur die erste Zelle eines Bereichs hat seinen Wert: ${cells === 1 ? '1 andere ist' : `${count(cells)} andere sind`} leer.`,
  number_format: ({ value }) => `Die Zelle zeigt mehr als ihre Zahl. Nur die Zahl wurde gelesen: ${value}.`,
  'invalid.too_many_cells':
    'Diese Zeile hat mehr Zellen als die Kopfzeile Spalten. Entfernen Sie Zellen, oder setzen Sie eine Zelle mit Trennzeichen in Anführungszeichen (").',
  'invalid.cell_beside_table':
    'Diese Zeile hat eine Zelle rechts von der letzten Spalte mit Überschrift. Geben Sie der Spalte eine Überschrift, oder leeren Sie die Zelle.',
  'invalid.item': ({ item, problem }) => `„${item}“: ${problem}`,
  'invalid.entry': ({ place, path, problem }) => `Eintrag ${place}: ${problem} (${path})`,
  invalid_text: ({ value }) => `${value} ist kein Text. Senden Sie einen Text in Anführungszeichen.`,
  'invalid_text.characters': 'Dieser Text enthält beschädigte Zeichen. Geben Sie ihn neu ein.',
  'invalid_text.nul': 'Dieser Text enthält NUL-Zeichen. Entfernen Sie sie.',
  invalid_integer: ({ value }) => `${value} ist keine ganze Zahl. Schreiben Sie sie so: 42.`,
  'invalid_integer.quoted': ({ value }) =>
    `${value} steht in Anführungszeichen. Senden Sie die Zahl ohne Anführungszeichen.`,
  'invalid_integer.comma': ({ value }) =>
    `${value} enthält ein Komma. Schreiben Sie die ganze Zahl ohne Trennzeichen, so: 5000.`,
  invalid_number: ({ value }) => `${value} ist keine Zahl. Schreiben Sie sie so: 90.5.`,
  'invalid_number.quoted': ({ value }) =>
    `${value} steht in Anführungszeichen. Senden Sie die Zahl ohne Anführungszeichen.`,
  'invalid_number.comma': ({ value }) =>
    `${value} enthält ein Komma. Schreiben Sie die Zahl mit Punkt und ohne Tausendertrennzeichen, so: 1234.5. Oder nennen Sie die Sprache der Datei: locale=de-DE.`,
  'invalid_number.cell': ({ value }) => `${value} ist keine Zahl. Geben Sie eine Zahl ein, z. B. 90,5.`,
  'invalid_number.text_cell': ({ value }) =>
    `${value} ist ein Text und keine Zahl. Formatieren Sie die Zelle als Zahl, und geben Sie sie neu ein.`,
  'invalid_number.form': ({ value, grouped, plain }) =>
    `${value} ist keine Zahl. Schreiben Sie sie so: ${grouped} oder ${plain}.`,
  'invalid_number.digits': ({ value }) =>
    `Eine Arbeitsmappe kann nicht alle Ziffern von ${value} halten. Formatieren Sie die Zelle als Text, und geben Sie die Zahl neu ein.`,
  invalid_boolean: ({ value }) =>
    `${value} ist weder true noch false. Senden Sie true oder false, ohne Anführungszeichen.`,
  'invalid_boolean.cell': ({ value }) =>
    `${value} ist weder true noch false. Schreiben Sie true oder false, yes oder no, 1 oder 0.`,
  invalid_uuid: ({ value }) => `${value} ist keine UUID. Schreiben Sie sie so: 7b3f1c5e-4a52-4f0e-9d7b-3f9f0f6f2a11.`,
  invalid_slug: ({ value }) => `${value} ist ein Teil anderer Adressen der API. Wählen Sie einen anderen Wert.`,
  'invalid_slug.reserved': ({ field, value }) =>
    `Aus diesem Text wird ${field} ${value}, ein Teil anderer Adressen der API. Ändern Sie den Text.`,
  'invalid_slug.reserved_or_sent': ({ field, value }) =>
    `Aus diesem Text wird ${field} ${value}, ein Teil anderer Adressen der API. Senden Sie einen anderen Wert für ${field}, oder ändern Sie den Text.`,
  'invalid_slug.empty': ({ field }) =>
    `Dieser Text hat keinen Buchstaben und keine Ziffer für ${field}. Ändern Sie den Text.`,
  'invalid_slug.empty_or_sent': ({ field }) =>
    `Dieser Text hat keinen Buchstaben und keine Ziffer für ${field}. Senden Sie ${field}, oder ändern Sie den Text.`,
  invalid_choice: ({ value, choices }) =>
    `${value} steht nicht zur Auswahl. Wählen Sie einen dieser Werte: ${choices}.`,
  invalid_date: ({ value }) => `${value} ist kein Datum. Schreiben Sie es so: 2026-01-15.`,
  'invalid_date.form': ({ value, local }) => `${value} ist kein Datum. Schreiben Sie es so: ${local} oder 2026-12-31.`,
  'invalid_date.no_such_day': ({ day }) => `Den Tag ${day} gibt es nicht.`,
  invalid_datetime: ({ value }) => `${value} ist kein Datum mit Uhrzeit. Schreiben Sie es so: 2026-01-15T10:30:00Z.`,
  'invalid_datetime.form': ({ value, local }) =>
    `${value} ist kein Datum mit Uhrzeit. Schreiben Sie es so: ${local} oder 2026-12-31T14:30.`,
  invalid_time: ({ value }) => `${value} ist keine Uhrzeit. Schreiben Sie sie so: 10:30.`,
  'invalid_time.zone': ({ value }) => `${value} ist keine Uhrzeit. Schreiben Sie sie so: 10:30+01:00.`,
  invalid_address: ({ value }) => `${value} ist keine IP-Adresse. Schreiben Sie sie so: 192.0.2.1.`,
  invalid_mac: ({ value }) => `${value} ist keine MAC-Adresse. Schreiben Sie sie so: 08:00:2b:01:02:03.`,
  invalid_json: 'Das ist kein gültiges JSON. Schreiben Sie es so: {"a": 1} oder ["a", "b"].',
  invalid_base64: 'Das ist kein gültiges Base64.',
  max_length: ({ max }) => `Höchstens ${count(max)} Zeichen.`,
  'max_length.bytes': ({ max }) => `Höchstens ${count(max)} Byte.`,
  'max_length.items': ({ max }) => `Höchstens ${counted(max, 'Eintrag', 'Einträge')}.`,
  'max_length.names': ({ max }) => `Nennen Sie hier höchstens ${counted(max, 'Datensatz', 'Datensätze')}.`,
  'max_length.rows': ({ rows, max }) =>
    `Das ${rows === 1 ? 'ist' : 'sind'} ${counted(rows, 'Zeile', 'Zeilen')}; es ${max === 1 ? 'darf' : 'dürfen'} höchstens ${count(max)} mitgesendet werden.`,
  'max_length.form_field': 'Dieses Feld ist zu lang.',
  min_length: ({ min }) => `Mindestens ${count(min)} Zeichen.`,
  'min_length.items': ({ min }) => `Die Liste muss mindestens ${counted(min, 'Eintrag', 'Einträge')} haben.`,
  exact_length: ({ length }) => `Der Text muss genau ${count(length)} Zeichen lang sein.`,
  multiple_of: ({ of }) => `Der Wert muss ein Vielfaches von ${of} sein.`,
  invalid_email: ({ value }) => `${value} ist keine E-Mail-Adresse. Schreiben Sie sie wie name@example.org.`,
  invalid_url: ({ value }) => `${value} ist keine Webadresse. Schreiben Sie sie wie https://example.org.`,
  invalid_format: ({ value }) => `${value} hat nicht die Form, die dieses Feld braucht.`,
  max_value: ({ max }) => `Der Wert darf höchstens ${max} sein.`,
  'max_value.exclusive': ({ max }) => `Der Wert muss kleiner als ${max} sein.`,
  min_value: ({ min }) => `Der Wert muss mindestens ${min} sein.`,
  'min_value.exclusive': ({ min }) => `Der Wert muss größer als ${min} sein.`,
  max_decimal_places: ({ max }) => `Höchstens ${counted(max, 'Nachkommastelle', 'Nachkommastellen')}.`,
  max_whole_digits: ({ max }) => `Höchstens ${counted(max, 'Stelle', 'Stellen')} vor dem Dezimalzeichen.`,
  leading_zeros: ({ zeros }) =>
    zeros === 1
      ? 'Die erste Nachkommastelle muss 0 sein.'
      : `Die ersten ${count(zeros)} Nachkommastellen müssen 0 sein.`,
  not_an_object: ({ found }) => `Senden Sie ein JSON-Objekt${found === 'nothing' ? '' : `, nicht: ${FOUND[found]}`}.`,
  'not_an_object.here': 'Senden Sie ein JSON-Objekt.',
  not_a_list: ({ found }) => `Senden Sie eine JSON-Liste${found === 'nothing' ? '' : `, nicht: ${FOUND[found]}`}.`,
  'not_a_list.items': 'Senden Sie eine Liste von Einträgen.',
  'not_a_list.keys': 'Senden Sie eine Liste von Kennungen.',
  'not_a_list.fields': 'Senden Sie eine Liste von Feldnamen.',
  'not_a_list.rows': 'Senden Sie eine Liste von Zeilen.',
  'not_a_list.quote': ({ separator }) =>
    `Ein Anführungszeichen steht an falscher Stelle. Schreiben Sie einen Eintrag mit Anführungszeichen oder „${separator}“ so: "a ""b"", c".`,
  'not_a_list.json': 'Das ist keine Liste. Schreiben Sie sie so: a, b oder ["a", "b"].',
  'not_a_list.cut':
    'Diese Liste wurde abgeschnitten, weil sie für eine Zelle einer Arbeitsmappe zu lang ist. Verwenden Sie CSV.',
  'not_a_list.records': ({ example }) => `Das ist keine Liste in JSON. Schreiben Sie sie wie ${example}.`,

  // Unique values and related records.
  unique: 'Diesen Wert hat bereits ein anderer Datensatz.',
  'unique.together': ({ fields }) => `Ein anderer Datensatz hat bereits diese Angaben bei ${fields}.`,
  'unique.same': ({ fields }) => `Ein anderer Datensatz hat dieselben Angaben bei ${fields}.`,
  'unique.exists': ({ fields }) => `Es gibt bereits einen Datensatz mit diesen Angaben bei ${fields}.`,
  'unique.item': 'Ein anderer Eintrag dieser Anfrage hat denselben Wert.',
  'unique.items_together': ({ fields }) => `Ein anderer Eintrag dieser Anfrage hat dieselben Werte von ${fields}.`,
  does_not_exist: ({ record, field, value }) =>
    `Es gibt keinen Datensatz (${record}) mit dem Wert „${value}“ bei ${field}.`,
  'does_not_exist.several': ({ records, field, values, more }) =>
    `Es gibt keine Datensätze (${records}) mit diesen Werten bei ${field}: ${listed(values, more)}.`,
  'does_not_exist.row': ({ fields }) => `Es gibt keinen Datensatz mit diesen Angaben bei ${fields}.`,
  'does_not_exist.referred': 'Den Datensatz, auf den hier verwiesen wird, gibt es nicht.',
  'does_not_exist.user':
    'Ihr Benutzerkonto ist hier nicht gespeichert. Deshalb kann kein Datensatz als von Ihnen angelegt oder geändert vermerkt werden.',
  'does_not_exist.gone': 'Dieser Datensatz wurde gerade gelöscht.',
  ambiguous: ({ records, field, value }) =>
    `Mehrere Datensätze (${records}) haben bei ${field} den Wert „${value}“. Verwenden Sie einen Wert, den nur einer hat.`,
  'ambiguous.row': ({ fields }) =>
    `Mehrere Datensätze haben diese Angaben bei ${fields}. Berichtigen Sie sie, sodass nur noch einer sie hat.`,
  claimed_twice: ({ values }) => `Ein anderer Eintrag enthält ebenfalls ${values}.`,
  'claimed_twice.record': 'Ein anderer Eintrag betrifft denselben Datensatz.',
  key_expected: ({ key }) => `Senden Sie den Wert „${key}“ des verknüpften Datensatzes, kein Objekt.`,
  'key_expected.value': ({ key, value }) => `Senden Sie den Wert „${key}“ des verknüpften Datensatzes, nicht ${value}.`,
  out_of_scope: 'Danach könnten Sie diesen Datensatz nicht mehr sehen; so kann er nicht gespeichert werden.',
  'out_of_scope.related': 'Ein neuer Datensatz muss zu denen gehören, auf die dieses Feld verweisen darf.',
  restricted:
    'Andere Datensätze verweisen auf diesen. Löschen Sie sie zuerst, oder lassen Sie sie auf einen anderen verweisen.',
  'restricted.by': ({ resources }) =>
    `Datensätze aus ${and(resources.map(quote))} verweisen auf diesen. Löschen Sie sie zuerst, oder lassen Sie sie auf einen anderen verweisen.`,
  'restricted.records': ({ resources, keys, more }) =>
    `Datensätze aus ${and(resources.map(quote))} verweisen auf ${keys.length + more === 1 ? 'den Datensatz' : 'die Datensätze'} ${listed(keys, more)}. Löschen Sie sie zuerst, oder lassen Sie sie auf andere verweisen.`,
  'restricted.replace': ({ resources }) =>
    `Datensätze aus ${and(resources.map(quote))} verweisen auf Datensätze, die gelöscht würden. Deshalb wurde nichts ersetzt. Löschen Sie sie zuerst, oder fügen Sie die Zeilen nur hinzu.`,
  not_of_path: 'Die Adresse nennt einen anderen Datensatz. Lassen Sie dieses Feld weg.',
  max_stored: ({ max }) =>
    `Diese Liste fasst höchstens ${counted(max, 'Datensatz', 'Datensätze')}, die schon gespeicherten eingeschlossen.`,
  truncated_list:
    'Diese Liste wurde nur zum Teil gelesen. Lassen Sie sie weg; dann bleiben ihre Datensätze unverändert.',
  must_belong: ({ values }) => `Lässt sich nicht entfernen, weil es zu einem Datensatz gehören muss: ${values}.`,
  not_soft_deletable: 'Diese Datensätze lassen sich nicht als gelöscht markieren. Verwenden Sie bulk-delete.',
  repeated_header: 'Diese Zeile wiederholt die Kopfzeile.',
  example_row: 'Diese Zeile ist das Beispiel der Vorlage und wird ausgelassen. Löschen Sie sie.',
  'invalid.sensitive': 'Dieser Wert ist ungültig. Er wird nicht gezeigt, da er vertraulich ist.',
  repeated_row: ({ field, numbers, more }) =>
    `Die Zeilen ${more > 0 ? listed(numbers, more) : and(numbers)} haben denselben Wert für ${field}. Behalten Sie eine davon.`,
  later_row: ({ row, field }) =>
    `Zeile ${row} hat denselben Wert für ${field}, aber andere Werte. Behalten Sie eine der Zeilen.`,
  totals_row: ({ word, fields }) =>
    `Das sieht nach einer Summenzeile aus: Sie enthält „${word}“ und keinen Wert für ${and(fields.map(quote))}. Entfernen Sie die Zeile, oder tragen Sie den Wert ein.`,
  'totals_row.skipped': ({ word, fields }) =>
    `Das sieht nach einer Summenzeile aus: Sie enthält „${word}“ und keinen Wert für ${and(fields.map(quote))}.`,
  'totals_row.label': ({ word }) => `Das sieht nach einer Summenzeile aus: Ihr einziger Text ist „${word}“.`,
  'totals_row.stored': ({ word }) =>
    `Diese Zeile sieht nach einer Summenzeile aus: Ihr einziger Text ist „${word}“. Entfernen Sie die Zeile, falls sie kein Datensatz ist.`,
  marked_and_edited: ({ columns }) =>
    `Diese Zeile ist zum Löschen markiert, aber ${and(columns.map(quote))} ${columns.length === 1 ? 'wurde' : 'wurden'} bearbeitet. Machen Sie die Änderung rückgängig, oder entfernen Sie die Markierung.`,
  marked_row: 'Diese Zeile ist zum Löschen markiert, hat aber keine ID. Nichts wurde angelegt oder gelöscht.',
  read_only_column: 'Diese Spalte ist nur zum Lesen. Änderungen darin wurden nicht beachtet.',
  not_stored: 'Die Datenbank hat diese Zeile nicht gespeichert.',
  'not_stored.deleted': 'Die Datenbank hat diesen Datensatz nicht gelöscht.',
  'not_stored.record': 'Ein Datensatz wurde nicht gespeichert.',
  'not_stored.related': 'Ein verknüpfter Datensatz wurde nicht gespeichert.',

  // The message of an answer.
  /** Several sentences, one after the other. */
  sentences: ({ texts }) => texts.join(' '),
  several_errors: ({ count: errors }) => `Die Anfrage enthält ${count(errors)} Fehler. Alle stehen unter „errors“.`,
  conflict: 'Die Anfrage steht im Widerspruch zu gespeicherten Daten.',
  invalid_data: 'Die gesendeten Daten sind ungültig.',
  not_found: 'Diesen Datensatz gibt es nicht, oder Sie dürfen ihn nicht sehen.',
  'not_found.key': ({ field, value }) => `Es gibt keinen Datensatz mit ${field} ${value}.`,
  'not_found.address': 'Unter dieser Adresse gibt es nichts.',
  'not_found.address_like': ({ method, address }) =>
    `Unter dieser Adresse gibt es nichts. Meinten Sie ${method} ${address}?`,
  'not_found.action': ({ action }) => `Diese Ressource hat kein „${action}“.`,
  'not_found.page_numbers': 'Ungültige Seite. Die Seiten sind ab 1 nummeriert.',
  'not_found.last_page': ({ last }) => `Ungültige Seite. Die letzte Seite ist ${last}.`,
  'not_found.page': 'Ungültige Seite. Die Liste endet vorher.',
  'not_found.cursor': 'Ungültige Listenposition (Cursor). Beginnen Sie wieder mit der ersten Seite.',
  'not_found.resource_of_job': 'Die Ressource dieses Auftrags gibt es nicht mehr.',
  'not_found.file_of_job': 'Dieser Auftrag hat keine Datei erstellt.',
  'not_found.file_is_gone': 'Die Datei dieses Auftrags ist nicht mehr vorhanden.',
  gone: ({ resource }) => `Die Ressource „${resource}“ gibt es nicht mehr.`,
  'gone.user': 'Den Benutzer, der diesen Auftrag erteilt hat, gibt es nicht mehr.',
  'gone.rows': 'Die Zeilen dieses Auftrags sind nicht mehr vorhanden.',
  'gone.file': 'Die Datei dieses Auftrags ist nicht mehr vorhanden.',
  method_not_allowed: ({ method, allowed, address }) =>
    `Die Methode „${method}“ ist hier nicht erlaubt.${allowed && ` Erlaubt: ${allowed}.`}${address === undefined ? '' : ` Meinten Sie ${address}?`}`,
  not_authenticated: 'Es wurden keine Anmeldedaten gesendet.',
  'not_authenticated.header': ({ headers }) =>
    `Es wurden keine Anmeldedaten gesendet. Senden Sie den Header ${or(headers)}.`,
  'not_authenticated.scheme': ({ scheme, headers }) =>
    `Diese API kennt das Schema „${scheme}“ der Kopfzeile Authorization nicht. Senden Sie die Kopfzeile ${or(headers)}.`,
  'not_authenticated.token': 'Das Token ist ungültig.',
  'not_authenticated.expired': 'Das Token ist abgelaufen.',
  'not_authenticated.api_key': 'Der API-Schlüssel ist ungültig.',
  'not_authenticated.background':
    'Arbeit im Hintergrund kann nur ein angemeldeter Benutzer anfordern. Melden Sie sich zuerst an.',
  'not_authenticated.import_mapping':
    'Nur ein angemeldeter Benutzer kann eine Zuordnung speichern. Melden Sie sich zuerst an.',
  not_movable:
    'Dieser Datensatz gehört zu einem anderen, den Sie nicht ändern dürfen. Er lässt sich daher nicht verschieben.',
  permission_denied: 'Sie haben keine Berechtigung für diese Aktion.',
  'permission_denied.hidden_columns':
    'Dieser Import braucht Spalten, die Sie nicht lesen dürfen. Bitten Sie eine Person, die sie lesen darf, die Datei zu importieren.',
  'permission_denied.hidden_fields':
    'Diese Anfrage findet Datensätze über Felder, die Sie nicht lesen dürfen. Bitten Sie eine Person, die sie lesen darf, sie zu senden.',
  'permission_denied.pages': 'Diese Liste gibt es nur seitenweise.',
  precondition_failed:
    'Jemand anders hat diesen Datensatz geändert, seit Sie ihn geladen haben. Laden Sie ihn neu, und wiederholen Sie dann Ihre Änderung.',
  'precondition_failed.row':
    'Dieser Datensatz wurde seit dem Export dieser Version geändert. Exportieren Sie ihn neu und wiederholen Sie Ihre Änderung.',
  'precondition_failed.missing_row':
    'Der Datensatz dieser Version ist nicht mehr gespeichert. Leeren Sie die Zelle, um ihn neu anzulegen.',
  'precondition_failed.no_version':
    'Diese Ressource hat keine Versionen, daher hat kein Datensatz das Tag in If-Match. Senden Sie die Anfrage ohne diesen Header.',
  'precondition_failed.unknown_tag': ({ value }) =>
    `Keine Version dieses Datensatzes hat das ETag ${value}. Senden Sie das ETag des Datensatzes so, wie Sie es erhalten haben.`,
  'precondition_failed.none_match': 'Der Datensatz ist einer, den If-None-Match ausschließt.',
  precondition_required:
    'Senden Sie das ETag des Datensatzes als Header If-Match, damit keine Änderung anderer verloren geht.',
  'precondition_required.item':
    'Senden Sie das ETag des Datensatzes als „_etag“, damit keine Änderung anderer verloren geht.',
  invalid_etag: ({ value }) =>
    `${value} ist kein ETag. Senden Sie das ETag des Datensatzes, wie Sie es erhalten haben, etwa "1769000000000".`,
  different_etags:
    'Der Header If-Match und „_etag“ im Inhalt nennen verschiedene Versionen. Senden Sie nur eines von beiden.',
  etag_of_child:
    'Hier hat ein Kind kein eigenes ETag. Die Version des Datensatzes, zu dem es gehört, schützt es: Senden Sie dessen ETag.',
  misplaced_if_match:
    'If-Match gilt für Adressen eines einzelnen Datensatzes. Geben Sie sonst jedem Eintrag sein ETag als „_etag“ mit.',
  invalid_idempotency_key: ({ value }) =>
    `${value} ist kein Idempotenzschlüssel. Senden Sie einen Text von 1 bis 255 Zeichen, etwa eine UUID.`,
  'invalid_idempotency_key.anonymous':
    'Nur angemeldete Benutzer können einen Idempotenzschlüssel senden. Melden Sie sich zuerst an.',
  'invalid_idempotency_key.file':
    'Eine Antwort als Datei kann nicht noch einmal gesendet werden. Senden Sie diese Anfrage ohne Idempotenzschlüssel.',
  idempotency_key_reused:
    'Dieser Idempotenzschlüssel gehört zu einer anderen Anfrage. Senden Sie eine geänderte Anfrage mit einem neuen Schlüssel.',
  idempotency_key_in_use: 'Eine Anfrage mit diesem Idempotenzschlüssel läuft noch. Senden Sie sie gleich noch einmal.',
  answer_too_long:
    'Die Anfrage wurde ausgeführt. Ihre Antwort war zu lang zum Aufbewahren; lesen Sie die Datensätze neu.',
  answer_withheld:
    'Die Anfrage wurde ausgeführt. Ihre Antwort wird nicht noch einmal gezeigt, da sich Ihre Rechte geändert haben.',
  'permission_denied.file':
    'Die Datei wurde mit anderen Rechten oder für einen anderen Mandanten erstellt. Exportieren Sie sie neu.',
  'not_found.before_history': ({ start }) => `Der Verlauf dieses Datensatzes beginnt am ${start}.`,
  'does_not_exist.entry': ({ entry }) => `Der Verlauf dieses Datensatzes hat keinen Eintrag ${entry}.`,
  'does_not_exist.state': ({ entry }) => `Nach dem Eintrag ${entry} gab es keinen Datensatz.`,
  not_revertible: 'Dieses Feld kann nicht zurückgeholt werden. Ändern Sie es mit einer Aktualisierung.',
  'past_state.names': 'Der Verlauf hat Felder, die es nicht mehr gibt. Der Stand von damals ist deshalb nicht bekannt.',
  'past_state.erased': 'Einträge dieses Verlaufs wurden geleert. Der Stand von damals ist deshalb nicht bekannt.',
  'past_state.unrecorded':
    'Eine Änderung ohne Verlauf hat den Datensatz seither gelöscht. Der Stand von damals ist deshalb nicht bekannt.',
  'past_state.other_type': 'Der Wert von damals passt nicht zum heutigen Typ des Feldes.',
  'undone.changed': ({ user, at, fields }) => `${user ?? 'Jemand'} hat ${fields.join(', ')} am ${at} geändert.`,
  'undone.deleted': ({ user, at }) => `${user ?? 'Jemand'} hat den Datensatz am ${at} gelöscht.`,
  'undone.stored_again': ({ user, at }) =>
    `${user ?? 'Jemand'} hat am ${at} wieder einen Datensatz mit dieser Kennung gespeichert.`,
  'undone.by_job': ({ job, at, fields }) =>
    `Der Auftrag ${job} hat am ${at} ${fields.length > 0 ? fields.join(', ') : 'den Datensatz'} geändert. Machen Sie zuerst diesen Auftrag rückgängig.`,
  'undone.losses': ({ resources }) =>
    `Datensätze von ${resources.join(', ')}, die die Datenbank zusammen mit ihm gelöscht hat, kommen nicht zurück.`,
  'undone.unrecorded': ({ fields }) =>
    `Eine Änderung ohne Verlauf hat ${fields.length > 0 ? fields.join(', ') : 'den Datensatz'} geändert.`,
  'undone.redacted': ({ fields }) => `Der alte Wert von ${fields.join(', ')} wird nicht aufbewahrt.`,
  'undone.dropped': ({ fields }) =>
    fields.length > 0
      ? `${fields.join(', ')} gibt es nicht mehr.`
      : 'Ein Feld, das es nicht mehr gibt, kommt nicht zurück.',
  'undone.other_type': ({ fields }) => `Der alte Wert von ${fields.join(', ')} passt nicht zum heutigen Typ.`,
  'undone.required': ({ fields }) => `Der Datensatz hatte keinen Wert für ${fields.join(', ')}, und es braucht einen.`,
  'undone.referred': ({ resources }) => `Datensätze von ${resources.join(', ')} verweisen darauf.`,
  'undone.some': ({ reversed, of }) =>
    `${reversed} von ${of} Datensätzen sind wie vor dem Auftrag. Die Datei sagt, was aus den anderen wurde.`,
  'undone.would_be_some': ({ reversed, of }) =>
    `${reversed} von ${of} Datensätzen wären wie vor dem Auftrag. Die Datei sagt, was aus den anderen würde.`,
  not_undoable:
    'Die Änderungen dieses Auftrags sind nicht aufgezeichnet, daher kann er nicht rückgängig gemacht werden.',
  'not_undoable.export': 'Ein Export hat nichts geändert.',
  'not_undoable.not_ended': ({ state }) =>
    `Dieser Auftrag ist noch nicht beendet (${state}). Machen Sie ihn danach rückgängig.`,
  'not_undoable.dry_run': 'Ein Probelauf hat nichts gespeichert.',
  'not_undoable.nothing': 'Dieser Auftrag hat nichts geändert.',
  'not_undoable.running': ({ job }) => `Der Auftrag ${job} macht ihn gerade rückgängig.`,
  'not_undoable.done': ({ job }) => `Der Auftrag ${job} hat ihn bereits rückgängig gemacht.`,
  too_many_requests: 'Der Server hat zu viele offene Aufträge. Versuchen Sie es später noch einmal.',
  'too_many_requests.jobs': ({ jobs }) =>
    jobs === 1
      ? 'Sie haben 1 Auftrag, der noch nicht beendet ist. Versuchen Sie es noch einmal, sobald er beendet ist.'
      : `Sie haben ${count(jobs)} Aufträge, die noch nicht beendet sind. Versuchen Sie es noch einmal, sobald einer beendet ist.`,
  'too_many_requests.streams': ({ streams }) =>
    `Sie verfolgen bereits ${counted(streams, 'Auftrag', 'Aufträge')}. Schließen Sie eine der Verbindungen, oder fragen Sie den Stand ohne Ereignisse ab.`,
  service_unavailable: 'Die Datenbank ist nicht erreichbar. Bitte versuchen Sie es noch einmal.',
  'service_unavailable.busy': 'Die Datenbank ist ausgelastet. Bitte versuchen Sie es noch einmal.',
  'service_unavailable.closing': 'Der Server wird gerade heruntergefahren. Bitte versuchen Sie es noch einmal.',
  'service_unavailable.searches':
    'Es laufen gerade andere lange Suchen und Listen. Bitte versuchen Sie es noch einmal.',
  'service_unavailable.streams':
    'Es laufen gerade andere lange Listen und Exporte. Bitte versuchen Sie es noch einmal.',
  'service_unavailable.imports': 'Es laufen gerade andere Importe. Bitte versuchen Sie es später noch einmal.',
  'service_unavailable.pdf': 'Es werden gerade andere PDF-Dateien erstellt. Bitte versuchen Sie es später noch einmal.',
  'service_unavailable.files':
    'Der Server kann im Moment nicht auf seine Dateien zugreifen. Bitte versuchen Sie es später noch einmal.',
  'service_unavailable.disk':
    'Der Server kann im Moment keine Dateien speichern. Bitte versuchen Sie es später noch einmal.',
  'service_unavailable.keys':
    'Der Server kann die Schlüssel, mit denen er Token prüft, nicht abrufen. Bitte versuchen Sie es noch einmal.',
  'service_unavailable.unknown_outcome':
    'Die Verbindung zur Datenbank ist abgebrochen, während Ihre Änderung gespeichert wurde. Laden Sie den Datensatz, um zu sehen, ob sie gespeichert ist.',
  internal_error: ({ id }) =>
    `Bei uns ist ein Fehler aufgetreten. Bitte nennen Sie bei Rückfragen die Fehler-ID ${id}.`,

  // The request itself.
  malformed: 'Die Anfrage ist fehlerhaft aufgebaut.',
  'malformed.http': 'Die Anfrage ist kein gültiges HTTP.',
  'malformed.url': 'Die URL ist fehlerhaft.',
  'malformed.percent':
    'Die URL ist fehlerhaft: Auf ein % müssen zwei Hexadezimalziffern folgen, die gültiges UTF-8 ergeben.',
  'malformed.nul_in_url': 'Die URL enthält NUL-Zeichen (%00). Entfernen Sie sie.',
  'malformed.host': 'Der Header Host ist fehlerhaft.',
  'malformed.hosts': 'Senden Sie genau einen Header Host.',
  'malformed.protocol': 'Der Header X-Forwarded-Proto ist fehlerhaft.',
  'malformed.empty': 'Der Inhalt der Anfrage ist leer.',
  'malformed.json': 'Der Inhalt der Anfrage ist kein gültiges JSON.',
  'malformed.json_at': ({ place, expected, found }) =>
    `Der Inhalt der Anfrage ist kein gültiges JSON (${place}). Erwartet: ${expected}${found === undefined ? ', aber hier endet der Inhalt' : `; gefunden: ${found}`}.`,
  'malformed.place': ({ line, column }) => `Zeile ${line}, Spalte ${column}`,
  'json.end': 'das Ende des Inhalts',
  'json.value': 'ein Wert',
  'json.comma_or_bracket': '"," oder "]"',
  'json.comma_or_brace': '"," oder "}"',
  'json.key': 'ein Schlüssel in doppelten Anführungszeichen',
  'json.key_or_no_comma': 'ein Schlüssel nach dem Komma oder kein Komma',
  'json.colon': '":"',
  'json.escape': 'eine Escape-Folge von JSON wie \\n',
  'json.escaped_control': 'maskierte Steuerzeichen',
  'json.closing_quote': 'ein schließendes Anführungszeichen',
  'size.megabytes': ({ size }) => `${size} MB`,
  'size.bytes': ({ size }) => `${count(size)} Byte`,
  'malformed.utf8': ({ place }) =>
    `Der Inhalt der Anfrage ist kein gültiges UTF-8 (${place}). Senden Sie ihn als UTF-8.`,
  'malformed.too_deep': ({ levels, place }) =>
    `Der Inhalt der Anfrage ist tiefer als ${counted(levels, 'Ebene', 'Ebenen')} verschachtelt (${place}).`,
  'malformed.number': ({ number }) => `${number} ist in JSON keine Zahl.`,
  'malformed.repeated_key': 'Dieser Schlüssel ist mehrfach angegeben.',
  'malformed.key': ({ key, problem }) => `Der Schlüssel ${key} ist ungültig. ${problem}`,
  'malformed.forbidden_key': ({ key }) => `Der Schlüssel ${key} ist hier nicht erlaubt.`,
  'malformed.nul': 'NUL-Zeichen sind nicht erlaubt.',
  'malformed.surrogate': ({ character }) => `Surrogatzeichen sind nicht erlaubt: ${character}.`,
  'malformed.inexact_integer':
    'Diese ganze Zahl ist zu groß, um als Zahl genau zu sein. Senden Sie sie in Anführungszeichen.',
  'malformed.huge_number': 'Diese Zahl ist zu groß.',
  'malformed.inexact_number': ({ value }) =>
    `Diese Zahl lässt sich nicht genau darstellen: Aus ihr würde ${value}. Senden Sie sie in Anführungszeichen.`,
  'malformed.cut_off': 'Der Inhalt der Anfrage ist unvollständig angekommen.',
  'malformed.multipart': 'Der Inhalt der Anfrage ist kein gültiges multipart/form-data.',
  'malformed.boundary': 'Im Header Content-Type fehlt die Angabe boundary.',
  'malformed.upload_cut_off': 'Die Datei wurde nicht vollständig hochgeladen.',
  'malformed.closed': 'Der Client hat die Verbindung geschlossen.',
  unsupported_media_type: 'Senden Sie den Inhalt als application/json.',
  'unsupported_media_type.utf8': 'Senden Sie den Inhalt als application/json, in UTF-8.',
  'unsupported_media_type.encoding': 'Senden Sie den Inhalt unverändert, ohne Content-Encoding.',
  'unsupported_media_type.multipart': 'Senden Sie die Datei als multipart/form-data.',
  payload_too_large: ({ limit }) =>
    `Der Inhalt der Anfrage ist zu groß.${limit === undefined ? '' : ` Erlaubt sind höchstens ${limit}.`}`,
  'payload_too_large.file': ({ limit }) => `Die Datei ist größer als ${limit}.`,
  request_timeout: 'Die Anfrage ist zu langsam angekommen.',
  'request_timeout.stopped': 'Das Hochladen ist stehen geblieben.',
  'request_timeout.upload': 'Das Hochladen hat zu lange gedauert.',
  headers_too_large: 'Die URL und die Header sind zu groß.',
  expectation_failed: 'Nur „Expect: 100-continue“ wird unterstützt.',

  // Query parameters.
  repeated: 'Geben Sie diesen Parameter nur einmal an.',
  unknown_parameter: ({ name, hint }) => `Unbekannter Parameter „${name}“. ${hint}`,
  'hint.did_you_mean': ({ name }) => `Meinten Sie „${name}“?`,
  'hint.known': ({ names, more }) => `Bekannte Parameter: ${listed(names, more)}.`,
  'hint.none': 'Diese Aktion hat keine Parameter.',
  'hint.body': 'Senden Sie ihn im Inhalt der Anfrage, nicht in der Adresse.',
  'hint.paging': ({ names }) => `In dieser Liste blättern Sie mit ${and(names)}.`,
  'hint.lookups': ({ field, names, more }) => `„${field}“ lässt sich so filtern: ${listed(names, more)}.`,
  invalid_expression: ({ at }) =>
    `Dieser Ausdruck ist ab Zeichen ${at} nicht lesbar. Schreiben Sie Bedingungen in Klammern und mit Kommas dazwischen, wie in (rating__gte=4,and(kind=new,name="a, b")).`,
  'invalid_expression.depth': ({ max }) => `Bedingungen können in höchstens ${max} Klammern stehen.`,
  'invalid_expression.size': ({ max }) => `Ein Ausdruck kann höchstens ${max} Bedingungen haben.`,
  too_many_tables: ({ max }) =>
    `Diese Anfrage fragt nach zu vielen verbundenen Datensätzen auf einmal: höchstens ${max} Tabellen. Senden Sie weniger Filter.`,
  invalid_parameter: ({ expected }) => `Bitte angeben: ${expected}.`,
  'expected.text': 'ein Text',
  'expected.whole': ({ min, max }) => `eine ganze Zahl von ${min} bis ${max}`,
  'expected.whole_number': 'eine ganze Zahl, z. B. 42',
  'expected.number': 'eine Zahl, z. B. 12.5',
  'expected.boolean': 'true oder false',
  'expected.row': 'die Nummer einer Zeile, oder bei einer Arbeitsmappe die Nummern je Blatt: {"Prices": 4}',
  'expected.date': 'ein Datum, z. B. 2026-01-15',
  'expected.datetime': 'ein Datum mit oder ohne Uhrzeit, z. B. 2026-01-15T10:30:00Z',
  'expected.time': 'eine Uhrzeit, z. B. 10:30',
  'expected.uuid': 'eine gültige UUID',
  'expected.key': ({ key, value }) => `der Wert „${key}“ des verknüpften Datensatzes: ${value}`,
  'expected.choice': ({ choices }) => `einer dieser Werte: ${choices}`,
  'expected.list': ({ each }) => `Werte, durch Kommas getrennt (jeweils ${each})`,
  'expected.pair': ({ each }) => `zwei Werte, durch ein Komma getrennt (jeweils ${each})`,
  'expected.year': 'ein Jahr mit vier Ziffern, z. B. 2026',
  'expected.state': 'active, deleted oder all',
  'expected.page': 'eine ganze Zahl größer als 0',
  'expected.offset': 'eine ganze Zahl ab 0',
  unknown_ordering: ({ name, known }) => `Nach „${name}“ lässt sich nicht sortieren. Bekannte Felder: ${known}.`,
  'unknown_ordering.direction': ({ name, meant }) =>
    `Nach „${name}“ lässt sich nicht sortieren. Meinten Sie „${meant}“?`,
  'unknown_ordering.too_many': ({ max, known }) =>
    `Sie können nach höchstens ${counted(max, 'Feld', 'Feldern')} sortieren. Bekannte Felder: ${known}.`,
  search_too_long: ({ max }) => `Der Suchtext darf höchstens ${count(max)} Zeichen haben.`,
  'search_too_long.words': ({ max }) => `Der Suchtext darf höchstens ${counted(max, 'Wort', 'Wörter')} haben.`,

  // Uploads, and the options of an import.
  no_file: 'Es wurde keine Datei gesendet. Senden Sie sie im Formularfeld „file“.',
  'no_file.empty': 'Die gesendete Datei ist leer. Wählen Sie eine andere.',
  'no_file.name': 'Es wurde keine Datei gesendet: Dem Formularfeld fehlt ein Dateiname.',
  'repeated.file': 'Senden Sie nur eine Datei auf einmal.',
  'repeated.field': 'Geben Sie dieses Feld nur einmal an.',
  'repeated.differently': 'Das Formular und die Adresse machen dazu verschiedene Angaben; geben Sie es nur einmal an.',
  too_many_parts: ({ max }) => `Senden Sie eine Datei und höchstens ${counted(max, 'Feld', 'Felder')}.`,
  misplaced: 'Senden Sie dieses Feld im Formular, nicht in der Adresse.',
  dry_run_only: 'Nur ein Probelauf zeigt, was sich ändern würde: Senden Sie auch dry_run=true.',
  invalid_mapping:
    'Senden Sie ein JSON-Objekt, das zu jeder Spaltenüberschrift das Feld nennt oder null, um die Spalte auszulassen: {"Airport code": "iata"}.',
  invalid_values:
    'Senden Sie ein JSON-Objekt, das zu jeder Spaltenüberschrift andere Werte für Texte nennt oder null für keinen: {"Country": {"Norge": "NO"}}.',
  'invalid_values.sensitive': ({ column }) =>
    `„${column}“ ist vertraulich, daher können seine Zellen hier nicht geändert werden.`,
  invalid_headers:
    'Senden Sie die Kopfzeile der Datei als Liste von Texten oder ein JSON-Objekt mit einer solchen Liste je Blatt.',
  too_many_import_mappings: ({ max }) =>
    `Es sind schon ${count(max)} Zuordnungen gespeichert, mehr sind nicht erlaubt. Löschen Sie zuerst eine.`,
  no_background: 'Diese API führt nichts im Hintergrund aus.',
  'no_background.too_large': 'Diese Angaben sind zu umfangreich für einen Auftrag im Hintergrund.',
  own_rows_only: 'Diese Ressource exportiert nur ihre eigenen Zeilen.',
  invalid_delimiter: ({ value }) => `${value} ist kein Trennzeichen. Wählen Sie eines von: "," ";" "\\t".`,
  invalid_encoding: ({ encoding, example }) => `„${encoding}“ ist keine Kodierung. Schreiben Sie sie wie „${example}“.`,
  invalid_locale: ({ locale, example }) => `„${locale}“ ist kein Sprachkürzel. Schreiben Sie es wie „${example}“.`,
  'invalid_locale.unknown': ({ locale }) => `Über die Sprache „${locale}“ ist nichts bekannt.`,
  'invalid_locale.calendar': ({ locale, calendar, gregorian }) =>
    `„${locale}“ hat den Kalender „${calendar}“, den Dateien nicht haben können. Schreiben Sie „${gregorian}“.`,
  unknown_setting: ({ names, known }) =>
    `Unbekannte ${names.length === 1 ? 'Einstellung' : 'Einstellungen'}: ${names.map(quote).join(', ')}. Bekannte Einstellungen: ${known}.`,
  unknown_field: ({ names, more, known }) =>
    `${names.length + more === 1 ? 'Unbekanntes Feld' : 'Unbekannte Felder'}: ${listed(names.map(quote), more)}. Bekannte Felder: ${known}.`,
  'unknown_field.shown': ({ name, hint }) => `Es gibt kein Feld „${name}“. ${hint}`,
  missing_package: ({ format, packages, choices }) =>
    `Für „${format}“ fehlen diesem Server Pakete: ${packages}. Wählen Sie eines dieser Formate: ${choices}.`,

  // Files that cannot be read or written.
  unreadable: 'Die Datei ist leer.',
  'unreadable.xls':
    'Die Arbeitsmappe ist beschädigt. Öffnen Sie sie in einem Tabellenprogramm, und speichern Sie sie als XLSX.',
  'unreadable.xlsx':
    'Die Arbeitsmappe ist beschädigt. Öffnen Sie sie in einem Tabellenprogramm, und speichern Sie sie neu.',
  'unreadable.doctype':
    'Die Arbeitsmappe enthält eine Dokumenttypdeklaration (DOCTYPE), die in Arbeitsmappen nicht erlaubt ist.',
  'unreadable.entity': 'Die Arbeitsmappe enthält eine XML-Entität, die in Arbeitsmappen nicht erlaubt ist.',
  'unreadable.nul':
    'Die Datei enthält NUL-Zeichen. Sie ist also beschädigt oder keine Textdatei. Speichern Sie sie neu als CSV UTF-8.',
  'unreadable.open_quote': ({ row }) =>
    `In Zeile ${row} steht ein Anführungszeichen ("), das nicht wieder geschlossen wird. Schließen oder entfernen Sie es.`,
  'unreadable.quote': ({ row }) =>
    `In Zeile ${row} steht Text hinter einer Zelle in Anführungszeichen ("): Verdoppeln Sie die Anführungszeichen innerhalb der Zelle.`,
  'unreadable.bytes': ({ row, encoding }) =>
    `Zeile ${row} enthält Bytes, die in der Kodierung ${encoding} kein Text sind. Speichern Sie die Datei als CSV UTF-8, oder nennen Sie ihre Kodierung.`,
  'unreadable.encoding':
    'Die Datei ist weder UTF-8 noch Windows-1252. Speichern Sie sie als CSV UTF-8, oder nennen Sie ihre Kodierung, etwa encoding=windows-1251.',
  encrypted: 'Die Arbeitsmappe ist mit einem Passwort geschützt: Speichern Sie sie ohne Passwort.',
  wrong_format: ({ found, formats }) =>
    `Die Datei ist anscheinend ${found}. Senden Sie eine Datei im Format ${or(formats)}.`,
  'wrong_format.unknown': ({ formats }) =>
    `Die Datei ist weder eine Textdatei noch eine Arbeitsmappe. Senden Sie eine Datei im Format ${or(formats)}.`,
  'wrong_format.spreadsheet': ({ found, format }) =>
    `Die Datei ist anscheinend ${found}. Öffnen Sie sie in einem Tabellenprogramm, speichern Sie sie als ${format} (Speichern unter, .${format.toLowerCase()}), und senden Sie die neue Datei.`,
  'content.csv': 'eine CSV-Datei',
  'content.xls': 'eine XLS-Datei',
  'content.xlsx': 'eine XLSX-Datei',
  'content.pdf': 'ein PDF-Dokument',
  'content.png': 'ein PNG-Bild',
  'content.jpeg': 'ein JPEG-Bild',
  'content.gif': 'ein GIF-Bild',
  'content.archive': ({ type }) => `ein ${type}-Archiv`,
  'content.rtf': 'ein RTF-Dokument',
  'content.sqlite': 'eine SQLite-Datenbank',
  'content.parquet': 'eine Parquet-Datei',
  'content.program': 'ein Programm',
  'content.xml': 'ein XML-Dokument',
  'content.html': 'eine Webseite (HTML)',
  'content.json': 'eine JSON-Datei',
  'content.word': 'ein Word-Dokument',
  'content.presentation': 'eine Präsentation',
  'content.xlsb': 'eine binäre Arbeitsmappe (XLSB)',
  'content.ods': 'eine OpenDocument-Tabelle (ODS)',
  too_large: ({ limit }) => `Die Datei ist größer als ${limit}.`,
  'too_large.rows': ({ max }) => `Es sind mehr als ${counted(max, 'Zeile', 'Zeilen')}.`,
  'too_large.sheet_rows': ({ max }) => `Ein Blatt hat mehr als ${counted(max, 'Zeile', 'Zeilen')}.`,
  'too_large.row_columns': ({ row, max }) => `Zeile ${row} hat mehr als ${counted(max, 'Spalte', 'Spalten')}.`,
  'too_large.cell': ({ row, max }) => `Zeile ${row} enthält eine Zelle mit mehr als ${count(max)} Zeichen.`,
  'too_large.row': ({ row, max }) => `Zeile ${row} hat mehr als ${count(max)} Zeichen.`,
  'too_large.all': ({ row, max }) => `Ab Zeile ${row} ist der Text insgesamt länger als ${count(max)} Zeichen.`,
  'too_large.sheets': ({ max }) => `Die Arbeitsmappe hat mehr als ${counted(max, 'Blatt', 'Blätter')}.`,
  'too_large.columns': ({ max }) => `Ein Blatt kann höchstens ${counted(max, 'Spalte', 'Spalten')} haben.`,
  'too_large.record': ({ row, bytes }) =>
    `Zeile ${row} ist länger als ${count(bytes)} Byte: Vielleicht wird ein Anführungszeichen (") nicht geschlossen.`,
  'too_large.text': ({ max }) => `Die Arbeitsmappe enthält einen Text mit mehr als ${count(max)} Zeichen.`,
  'too_large.long_text': 'Die Arbeitsmappe enthält einen zu langen Text.',
  'too_large.unpacked': ({ bytes }) => `Entpackt wäre die Arbeitsmappe ${count(bytes)} Byte groß.`,
  'too_large.parts': ({ max }) => `Die Arbeitsmappe besteht aus mehr als ${counted(max, 'Teil', 'Teilen')}.`,
  'too_large.zip': 'Eine Arbeitsmappe kann nicht größer als 4 GiB sein.',
  'too_large.memory':
    'Die Arbeitsmappe braucht zu viel Speicher; teilen Sie sie in kleinere auf, oder speichern Sie sie als CSV.',
  'too_large.pdf_memory': 'Die PDF-Datei braucht zu viel Speicher; exportieren Sie weniger Zeilen.',
  'too_large.pdf_columns': ({ max }) => `Eine PDF-Datei hat höchstens ${max} Spalten.`,
  'too_large.pdf_characters': ({ max }) =>
    `Eine PDF-Datei hat höchstens ${count(max)} verschiedene Zeichen; exportieren Sie weniger Zeilen, oder CSV oder XLSX.`,
  out_of_time:
    'Das Lesen der Arbeitsmappe dauert zu lange; teilen Sie sie in kleinere auf, oder speichern Sie sie als CSV.',
  'out_of_time.pdf': 'Das Erstellen der PDF-Datei hat zu lange gedauert; exportieren Sie weniger Zeilen.',
  too_many_rows: ({ format, max, rows }) =>
    `Eine Datei im Format ${format} fasst höchstens ${counted(max, 'Zeile', 'Zeilen')}; hier sind es ${count(rows)}. Filtern Sie die Zeilen.`,
  'too_many_rows.pdf': ({ max, rows }) =>
    `Eine Datei im Format pdf fasst höchstens ${counted(max, 'Zeile', 'Zeilen')}; hier sind es ${count(rows)}. Filtern Sie die Zeilen, oder wählen Sie csv oder xlsx.`,
  text_cut: ({ cells }) =>
    cells === 1
      ? `1 Zelle hatte mehr als ${count(32_767)} Zeichen und wurde gekürzt.`
      : `${count(cells)} Zellen hatten mehr als ${count(32_767)} Zeichen und wurden gekürzt.`,
  missing_glyphs: ({ count: missing, characters }) =>
    missing === 1
      ? `Keine Schriftart enthält dieses Zeichen: ${characters}`
      : `Keine Schriftart enthält diese ${count(missing)} Zeichen: ${characters}`,

  // Columns and sheets of an import.
  missing_column: ({ column, others }) =>
    `Die Spalte „${column}“ fehlt${others.length === 0 ? '' : `; sie darf auch ${or(others.map(quote))} heißen`}.`,
  repeated_column: ({ count: times, column }) =>
    `Die Datei hat ${count(times)} Spalten mit dem Namen „${column}“. Behalten Sie eine davon.`,
  'missing_column.none': 'Die Datei hat keine Spalten.',
  'missing_column.other_row':
    'Wenn die Namen der Spalten in einer anderen Zeile stehen, senden Sie deren Nummer als "header_row".',
  'missing_column.found': ({ columns, more, row }) =>
    `Die Kopfzeile (${row === undefined ? 'die erste Zeile' : `Zeile ${row}`}) hat die ${columns.length + more === 1 ? 'Spalte' : 'Spalten'} ${listed(columns.map(quote), more)}.`,
  invalid_header_row: ({ row, sheet }) =>
    `Zeile ${row} kann nicht die Kopfzeile${sheet === '' ? '' : ` des Blatts „${sheet}“`} sein: Sie ist leer oder keine der ersten 30 Zeilen mit Inhalt.`,
  'invalid_header_row.csv_sheet': ({ sheet }) =>
    `Die Datei hat kein Blatt „${sheet}“, da sie CSV ist; senden Sie nur die Zahl.`,
  'invalid_header_row.unknown_sheet': ({ sheet, hint }) => `Die Datei hat kein Blatt „${sheet}“. ${hint}`,
  'invalid_header_row.unread_sheet': ({ sheet, hint }) => `Das Blatt „${sheet}“ wird nicht importiert. ${hint}`,
  missing_sheet: ({ sheet }) => `Die Arbeitsmappe hat kein Blatt „${sheet}“.`,
  'missing_sheet.found': ({ sheets, more }) =>
    `Vorhandene Blätter: ${sheets.map(quote).join(', ')}${more ? ', ...' : '.'}`,
  'missing_sheet.rename': ({ sheet }) =>
    `Nennen Sie das Blatt mit den Zeilen „${sheet}“, oder behalten Sie nur ein Blatt.`,
  'missing_sheet.needed': ({ sheets }) =>
    `Setzen Sie alle Spalten in ein Blatt, oder benennen Sie die Blätter ${and(sheets.map(quote))}.`,
  template_is_at: ({ problem, address }) => `${problem} Die Vorlage finden Sie unter ${address}`,
  'invalid_mapping.file': 'Die Zuordnung passt nicht zur Datei.',
  'invalid_mapping.column': ({ column, hint }) => `Die Datei hat keine Spalte „${column}“. ${hint}`,
  'invalid_mapping.repeated': ({ column }) => `„${column}“ ist zweimal angegeben.`,
  'invalid_mapping.several': ({ count: times, column, first }) =>
    `Die Datei hat ${count(times)} Spalten mit dem Namen „${column}“; schreiben Sie „${first}“ für die erste.`,
  'invalid_mapping.both': ({ one, other, field }) =>
    `„${one}“ und „${other}“ können nicht beide dem Feld „${field}“ zugeordnet sein.`,
  'invalid_mapping.field': ({ column, field, hint }) => `„${column}“: „${field}“ wird nicht importiert. ${hint}`,
  'invalid_mapping.ambiguous': ({ column, fields }) =>
    `„${column}“: Welches Feld ist gemeint? Schreiben Sie ${or(fields.map(quote))}.`,
  'invalid_mapping.sheet': ({ sheet, hint }) => `Die Datei hat kein Blatt „${sheet}“. ${hint}`,
  'invalid_mapping.csv_sheet': ({ sheet }) =>
    `Die Datei hat kein Blatt „${sheet}“, denn sie ist CSV; nennen Sie ihre Spalten ohne Blatt: {"Airport code": "iata"}.`,
  'invalid_mapping.unread_sheet': ({ sheet, hint }) => `Das Blatt „${sheet}“ wird nicht importiert. ${hint}`,
  'invalid_mapping.by_sheet': ({ sheet }) =>
    `Es werden mehrere Blätter importiert: Nennen Sie die Spalten nach Blättern, {„${sheet}“: {...}}.`,
  'hint.names': ({ names }) => `Bekannt: ${names.map(quote).join(', ')}.`,
  nothing_to_replace: 'Die Datei enthält keine Zeilen. Deshalb wurde nichts ersetzt.',
  'nothing_to_replace.skipped':
    'Alle Zeilen, die etwas ersetzen würden, wurden übersprungen. Deshalb wurde nichts ersetzt.',

  // The outcome of a restore, of an import and of a job.
  restored: 'Der Datensatz wurde wiederhergestellt.',
  'restored.active': 'Der Datensatz war nicht gelöscht und ist unverändert.',
  'imported.no_rows': 'Unter der Kopfzeile der Datei stehen keine Zeilen. Deshalb wurde nichts importiert.',
  'imported.would_fail': ({ failed, of }) =>
    `${rowsOf(failed, of)} ${failed === 1 ? 'wäre' : 'wären'} fehlerhaft. Das war ein Probelauf: Es wurde nichts gespeichert.`,
  'imported.not_replaced': ({ failed, of }) =>
    `${areFaulty(failed, of)}. Deshalb wurde nichts ersetzt: Alles ist wie zuvor.`,
  'imported.all_failed': ({ failed, of }) => `${areFaulty(failed, of)}; es wurde nichts gespeichert.`,
  'imported.rolled_back': ({ failed, of }) =>
    `${areFaulty(failed, of)}. Deshalb wurde nichts gespeichert: Alles ist wie zuvor.`,
  'imported.some_failed': ({ failed, of, stored }) =>
    `${areFaulty(failed, of)}; ${stored === 1 ? 'die andere wurde' : `die anderen ${count(stored)} wurden`} gespeichert.`,
  'imported.mixed': ({ failed, of, stored, deleted, unchanged, skipped }) =>
    `${areFaulty(failed, of)}; von den anderen: ${present([
      [stored, `${count(stored)} gespeichert`],
      [deleted, `${count(deleted)} gelöscht`],
      [unchanged, `${count(unchanged)} unverändert`],
      [skipped, `${count(skipped)} übersprungen`],
    ])}.`,
  'imported.file_has_all': ({ message }) =>
    `${message} Die Datei enthält alle Zeilen: Berichtigen Sie sie, und senden Sie sie noch einmal.`,
  'imported.before': ({ problem, rows, created, updated, deleted }) =>
    `${problem} Davor ${rows === 1 ? 'wurde die erste Zeile' : `wurden die ersten ${count(rows)} Zeilen`} importiert (${count(created)} angelegt, ${count(updated)} aktualisiert${deleted > 0 ? `, ${count(deleted)} gelöscht` : ''}).`,
  'imported.ended_early': ({ problem }) => `${problem} Dieselbe Datei kann noch einmal importiert werden.`,
  'job.cancelled': 'Abgebrochen.',
  imported_before: ({ day, job }) => `Diese Datei wurde schon am ${day} importiert, vom Auftrag ${job}.`,
  job_has_ended: 'Dieser Auftrag ist bereits beendet.',
  job_not_ended: ({ state }) =>
    `Dieser Auftrag ist noch nicht beendet (${state}); rufen Sie die Datei ab, sobald er beendet ist.`,
  'job.crashed': ({ times }) =>
    `Der Server wurde während dieses Auftrags ${count(times)}-mal beendet, ohne dass es weiterging.`,
  'job.nothing_stored': ({ reason }) => `${reason} Es wurde nichts gespeichert.`,

  // Templates, files of failed rows, and PDF.
  'template.required': 'Pflichtfeld.',
  'template.optional': 'Optional.',
  'template.takes_blank': 'Optional: Eine leere Zelle ist ein leerer Text.',
  'template.text': 'Text.',
  'template.text_of': ({ max }) => `Text mit höchstens ${count(max)} Zeichen.`,
  'template.choice': ({ choices }) => `Einer dieser Werte: ${choices}.`,
  'template.whole': 'Eine ganze Zahl.',
  'template.number': 'Eine Zahl.',
  'template.decimal': ({ digits }) =>
    `Eine Zahl mit höchstens ${counted(digits, 'Nachkommastelle', 'Nachkommastellen')}.`,
  'template.boolean': 'true oder false.',
  'template.date': 'Ein Datum: JJJJ-MM-TT.',
  'template.datetime': 'Ein Datum mit Uhrzeit, z. B. 2026-01-15T10:30:00Z.',
  'template.time': 'Eine Uhrzeit, z. B. 10:30.',
  'template.uuid': 'Eine UUID.',
  'template.json': 'JSON.',
  'template.list': 'Eine Liste, z. B. a, b. Ein Eintrag mit Komma steht in Anführungszeichen: "a, b".',
  'template.bytes': 'Binärdaten als Base64.',
  'template.bytes_of': ({ max }) => `Höchstens ${count(max)} Byte, als Base64.`,
  'template.number_form': ({ grouped, plain }) => `Schreiben Sie eine Zahl so: ${grouped} oder ${plain}.`,
  'template.date_form': ({ local }) => `Schreiben Sie ein Datum so: ${local} oder 2026-12-31.`,
  'template.datetime_form': ({ local }) => `Schreiben Sie ein Datum mit Uhrzeit so: ${local} oder 2026-12-31T14:30.`,
  'template.boolean_form': ({ yes, no }) => `Oder ${yes} und ${no}.`,
  'template.value': ({ field, record, example }) =>
    `Der Wert von ${field} eines Datensatzes (${record})${example === undefined ? '' : `, z. B. ${example}`}.`,
  'template.stored': 'Dieser Datensatz muss bereits gespeichert sein.',
  'template.stored_or_above': 'Dieser Datensatz muss bereits gespeichert sein oder in einer Zeile weiter oben stehen.',
  'template.of_sheet': ({ sheet }) =>
    `Dieser Datensatz muss auf dem Blatt „${sheet}“ stehen oder bereits gespeichert sein.`,
  'template.several': ({ separator }) =>
    `Mehrere werden durch „${separator}“ getrennt; der Datensatz wird genau mit diesen verknüpft.`,
  'template.records':
    'Eine Liste in JSON, mit einem Objekt für jeden Eintrag. Eine leere Zelle lässt eine gespeicherte Liste, wie sie ist.',
  'template.deletes': ({ words }) =>
    `Eine Zeile mit ${or(words.map(quote))} löscht ihren Datensatz. Von ihren übrigen Zellen zählen nur die, an denen der Datensatz erkannt wird.`,
  'template.update_create': ({ fields }) =>
    `Eine Zeile aktualisiert den Datensatz mit denselben Angaben bei ${fields}; gibt es keinen, legt sie einen an.`,
  'template.update_skip': ({ fields }) =>
    `Eine Zeile aktualisiert den Datensatz mit denselben Angaben bei ${fields}; gibt es keinen, wird sie übersprungen.`,
  'template.update_fail': ({ fields }) =>
    `Eine Zeile aktualisiert den Datensatz mit denselben Angaben bei ${fields}; es muss ihn schon geben.`,
  'template.skip_create': ({ fields }) =>
    `Gibt es schon einen Datensatz mit denselben Angaben bei ${fields}, bleibt er unverändert; gibt es keinen, legt die Zeile einen an.`,
  'template.skip_skip': ({ fields }) =>
    `Gibt es schon einen Datensatz mit denselben Angaben bei ${fields}, bleibt er unverändert; gibt es keinen, wird die Zeile übersprungen.`,
  'template.skip_fail': ({ fields }) =>
    `Der Datensatz mit denselben Angaben bei ${fields} bleibt unverändert; es muss ihn schon geben.`,
  'template.fail_create': ({ fields }) =>
    `Es darf noch keinen Datensatz mit denselben Angaben bei ${fields} geben; die Zeile legt einen an.`,
  'template.fail_skip': ({ fields }) =>
    `Es darf noch keinen Datensatz mit denselben Angaben bei ${fields} geben; gibt es keinen, wird die Zeile übersprungen.`,
  'template.fail_fail': ({ fields }) =>
    `Zeilen mit den Angaben eines Datensatzes bei ${fields} können ihn nur löschen; andere Zeilen sind fehlerhaft.`,
  'template.example_row':
    'Diese Zeile ist ein Beispiel. Überschreiben oder löschen Sie sie: unverändert wird sie beim Import ausgelassen.',
  'template.guide': 'So wird ausgefüllt',
  'template.guide_sheet': 'Blatt',
  'template.guide_column': 'Spalte',
  'template.guide_rule': 'Was hineingehört',
  'template.guide_example': 'Beispiel',
  'template.guide_choices': 'Erlaubte Werte',
  'template.more_choices': ({ choices, more }) => `${choices} und ${count(more)} weitere`,
  'template.edit_id': 'ID (nicht ändern)',
  'template.edit_id_note': 'Sie findet den Datensatz der Zeile. Bei einem neuen Datensatz bleibt sie leer.',
  'template.edit_mark': 'Löschen?',
  'template.edit_mark_other': 'Diesen Datensatz löschen?',
  'template.edit_mark_note': ({ yes }) =>
    `Wählen Sie „${yes}“, um den Datensatz dieser Zeile zu löschen. Hat die Zeile andere Änderungen, schlägt sie fehl.`,
  'template.edit_guide': 'So wird bearbeitet',
  'template.edit_change':
    'Um einen Wert zu ändern, überschreiben Sie seine Zelle. Alle anderen Zellen behalten die gespeicherten Werte.',
  'template.edit_add': ({ id }) =>
    `Um einen Datensatz anzulegen, schreiben Sie eine neue Zeile und lassen „${id}“ leer.`,
  'template.edit_delete': ({ yes, mark }) =>
    `Um einen Datensatz zu löschen, wählen Sie „${yes}“ in der Spalte „${mark}“.`,
  'template.edit_keep': 'Entfernen Sie eine Zeile aus dieser Datei, bleibt ihr Datensatz, wie er ist.',
  'template.edit_read_only': 'Graue Spalten sind nur zum Lesen.',
  'template.edit_arrange': ({ id }) =>
    `Sie dürfen Zeilen sortieren und filtern und Spalten verschieben. Ändern Sie keine Überschriften und nichts in „${id}“.`,
  'template.edit_send':
    'Importieren Sie dann diese Datei. Zeilen mit Fehlern kommen in einer Datei zurück, die die Fehler nennt.',
  'template.read_only': 'Diese Spalte ist nur zum Lesen. Änderungen darin gelten nicht.',
  'too_many_rows.edit': ({ rows, max }) =>
    `Eine Datei zum Bearbeiten hat höchstens ${max} Datensätze, und dies sind ${rows}. Wählen Sie mit einem Filter weniger aus.`,
  'invalid_edit_file.damaged':
    'Das ausgeblendete Blatt dieser Datei ist beschädigt. Exportieren Sie die Datensätze noch einmal.',
  'invalid_edit_file.other_records': 'Diese Datei wurde aus anderen Datensätzen exportiert. Importieren Sie sie dort.',
  'invalid_edit_file.no_ids': ({ column }) =>
    `Kein Blatt hat die Spalte „${column}“, die den Datensatz jeder Zeile findet.`,
  'invalid_edit_file.renamed': ({ columns, others }) =>
    `${columns.length === 1 ? 'Die Spalte' : 'Die Spalten'} ${and(columns.map(quote))} ${columns.length === 1 ? 'ist' : 'sind'} unbekannt, und ${and(others.map(quote))} ${others.length === 1 ? 'fehlt' : 'fehlen'}. Geben Sie den Spalten ihre alten Überschriften.`,
  'invalid_edit_file.replace':
    'Eine bearbeitete Datei ändert einzelne Datensätze und kann daher nicht alle ersetzen. Senden Sie append_data=true.',
  'invalid_edit_file.no_import':
    'Dateien dieser Ressource lassen sich nicht bearbeiten. Das setzt einen Import von Arbeitsmappen voraus, der Datensätze ändert, und einen Primärschlüssel aus einer Spalte.',
  'invalid_edit_file.format': 'Eine Datei zum Bearbeiten ist eine Arbeitsmappe. Senden Sie „xlsx“.',
  'invalid_edit_file.own_columns':
    'Eine Datei zum Bearbeiten hat die Spalten und Zeilen des Imports. Lassen Sie dieses Feld weg.',
  'invalid_edit_file.marked': ({ rows, column }) =>
    `${counted(rows, 'Zeile ist', 'Zeilen sind')} zum Löschen markiert. Senden Sie delete_marked=true, um die Datensätze zu löschen, oder leeren Sie die Spalte „${column}“.`,
  'invalid_edit_file.no_delete': ({ column }) =>
    `Diese Ressource löscht keine Datensätze. Leeren Sie die Spalte „${column}“.`,
  'invalid.no_new_rows': 'Dieser Import legt keine Datensätze an. Entfernen Sie diese Zeile.',
  not_written:
    'Diese Zelle wurde bearbeitet, wird aber nicht geschrieben: Sie dürfen sie nicht ändern, oder sie gehört nicht zum Import.',
  'invalid_edit_file.two_sheets': ({ names }) =>
    `Die Blätter ${and(names.map(quote))} haben beide die IDs. Entfernen Sie das, das nicht gemeint ist.`,
  'invalid_edit_file.no_base':
    'Das ausgeblendete Blatt dieser Datei fehlt, daher zeigt sie nicht, was bearbeitet wurde. Exportieren Sie die Datensätze noch einmal. Um alle Zeilen so zu importieren, wie sie sind, löschen Sie die Spalte mit den IDs.',
  'invalid.no_result':
    'Diese Formel hat kein Ergebnis. Öffnen Sie die Datei in einem Tabellenprogramm und speichern Sie sie.',
  'invalid_edit_file.not_editable':
    'Dieser Import ändert keine gespeicherten Datensätze, daher lassen sich seine Dateien nicht bearbeiten.',
  'does_not_exist.edited_id': ({ id }) =>
    `Diese Datei hat keinen Datensatz mit der ID ${id}. Lassen Sie die ID eines neuen Datensatzes leer.`,
  'does_not_exist.edited': 'Diesen Datensatz gibt es nicht mehr, oder Sie dürfen ihn nicht sehen.',
  'repeated.id': 'Eine andere Zeile hat dieselbe ID. Löschen Sie die ID in der neuen Zeile.',
  'invalid.not_whole': 'Die Datei hat nicht den ganzen Wert dieser Zelle, daher kann er hier nicht geändert werden.',
  'invalid.mark': ({ yes }) => `Schreiben Sie „${yes}“, um diesen Datensatz zu löschen, oder leeren Sie die Zelle.`,
  'conflict.edited': ({ before, now, yours }) =>
    `Dieser Wert hat sich seit dem Export geändert. Er war ${before} und ist jetzt ${now}. Sie haben ${yours} geschrieben.`,
  'conflict.marked': ({ columns }) =>
    `Diese Zeile ist zum Löschen markiert, aber ihr Datensatz hat sich seit dem Export geändert${columns.length === 0 ? '' : `: ${and(columns.map(quote))}`}.`,
  'repeated.marked':
    'Eine andere Zeile hat dieselbe ID, daher wurde kein Datensatz gelöscht. Entfernen Sie eine der Zeilen.',
  'failed_rows.errors': 'Fehler',
  'failed_rows.import_errors': 'Importfehler',
  'failed_rows.left_out': ({ columns }) =>
    `In dieser Datei ${columns.length === 1 ? 'fehlt die vertrauliche Spalte' : 'fehlen die vertraulichen Spalten'} ${and(columns.map(quote))}. Gespeicherte Werte bleiben. Ein neuer Datensatz erhält keine, wenn Sie ${columns.length === 1 ? 'die Spalte' : 'die Spalten'} nicht wieder hinzufügen.`,
  'pdf.page': ({ page, pages }) => `Seite ${page} von ${pages}`,
  'pdf.rows': ({ rows }) => `Zeilen: ${rows}`,
  'pdf.filters': ({ filters }) => `Filter: ${filters}`,
  'pdf.missing': ({ sign }) =>
    `${sign} steht für ein Zeichen, das in keiner Schriftart dieser Datei vorkommt. In den Daten ist es vorhanden.`,
  'pdf.utc': 'Zeiten in UTC',
  'pdf.yes': 'Ja',
  'pdf.no': 'Nein',
  'root.resources': 'Ressourcen',
  'root.records': ({ records }) => counted(records, 'Datensatz', 'Datensätze'),
  'root.no_resources': 'Es gibt keine Liste für Sie.',
  'root.anonymous': 'Sie sind nicht angemeldet. Listen, die eine Anmeldung verlangen, fehlen hier.',
  'root.allowed': 'Hier stehen nur Listen, die Sie lesen dürfen.',
  'root.json': 'Programme bekommen unter dieser Adresse JSON:',
  'root.descriptions': 'Beschreibungen',
  'root.reference': 'Referenz',
  'root.document': 'OpenAPI-Dokument',
  'root.schema': 'Schema',
}

const FOUND = {
  nothing: 'nichts',
  null: 'null',
  array: 'eine Liste',
  object: 'ein Objekt',
  string: 'ein Text',
  number: 'eine Zahl',
  boolean: 'ein Wahrheitswert',
} as const

function count(number: number): string {
  return number.toLocaleString('de-DE')
}

function counted(number: number, one: string, several: string): string {
  return `${count(number)} ${number === 1 ? one : several}`
}

function and(items: readonly string[]): string {
  return joined(items, 'und')
}

function quote(name: string): string {
  return `„${name}“`
}

function or(items: readonly string[]): string {
  return joined(items, 'oder')
}

function listed(items: readonly string[], more: number): string {
  return more > 0 ? `${items.join(', ')} und ${count(more)} weitere` : items.join(', ')
}

function rowsOf(failed: number, of: number): string {
  return `${count(failed)} von ${counted(of, 'Zeile', 'Zeilen')}`
}

function areFaulty(failed: number, of: number): string {
  return `${rowsOf(failed, of)} ${failed === 1 ? 'ist' : 'sind'} fehlerhaft`
}
