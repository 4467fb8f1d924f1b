import { joined, present, quote } from './joined.ts'
import type { Translation } from './message.ts'

/** The catalogue in Spanish: see `english.ts`. */
export const spanish: Translation = {
  // Fields of a request, and cells of a file.
  required: 'Este campo es obligatorio.',
  'required.similar': ({ sent, meant }) => `Este campo es obligatorio. Se envió "${sent}"; ¿quiso decir "${meant}"?`,
  ignored: ({ sent, meant }) => `Se ignoró "${sent}"; ¿quiso decir "${meant}"?`,
  'required.cell': 'Esta celda está vacía y debe contener un valor.',
  'required.column': ({ column }) => `Falta la columna "${column}" y prepareRow no proporciona su valor.`,
  'required.append': 'Este campo es obligatorio: "true" añade registros; "false" reemplaza los guardados.',
  null: 'Este campo necesita un valor: no se admite null.',
  blank: 'Este campo necesita un texto que no esté vacío.',
  empty: 'Esta lista está vacía. Envíe al menos un elemento.',
  invalid: 'Este valor no es válido.',
  'invalid.error_id': ({ id }) =>
    `No se admite este valor. Si necesita ayuda, indique el identificador de error ${id}.`,
  'invalid.row': ({ id }) => `No se admite esta fila. Si necesita ayuda, indique el identificador de error ${id}.`,
  'invalid.together': ({ fields }) => `Los valores de estos campos no son compatibles: ${fields}.`,
  'invalid.error_cell': ({ error }) => `La celda contiene el error ${error}. Escriba un valor en su lugar.`,
  'invalid.error_cell_of': ({ column, error }) =>
    `La celda de la columna "${column}" contiene el error ${error}. Escriba un valor en su lugar.`,
  text_behind_quote: 'Esta fila tiene texto detrás de una comilla de cierre ("). Se leyó como el resto de la celda.',
  guessed_encoding: ({ encoding }) =>
    `La codificación del archivo se ha adivinado: ${encoding}. Compruebe las letras especiales, guarde el archivo como CSV UTF-8 o indique su codificación.`,
  hidden_rows: ({ sheet, rows }) =>
    `La hoja «${sheet}» oculta ${rows === 1 ? '1 fila' : `${count(rows)} filas`}, quizá por un filtro. Las filas ocultas se leen como las demás.`,
  hidden_columns: ({ sheet, columns }) =>
    `La hoja «${sheet}» oculta ${columns.length === 1 ? 'la columna' : 'las columnas'} ${columns.map(quote).join(', ')}. Las columnas ocultas se leen como las demás.`,
  lost_columns: ({ columns }) =>
    `A este archivo le ${columns.length === 1 ? 'falta la columna' : 'faltan las columnas'} ${and(columns.map(quote))}. Los valores guardados se mantienen.`,
  merged_cells: ({ sheet, areas, cells }) =>
    `La hoja «${sheet}» tiene celdas combinadas (${areas === 1 ? '1 área' : `${count(areas)} áreas`}). Solo la primera celda de un área tiene su valor: ${cells === 1 ? 'otra está vacía' : `otras ${count(cells)} están vacías`}.`,
  number_format: ({ value }) => `La celda muestra más que su número. Solo se leyó el número: ${value}.`,
  'invalid.too_many_cells':
    'Esta fila tiene más celdas que columnas el encabezado. Elimine celdas o ponga entre comillas (") la celda que contiene un separador.',
  'invalid.cell_beside_table':
    'Esta fila tiene una celda a la derecha de la última columna con encabezado. Ponga un encabezado a la columna o vacíe la celda.',
  'invalid.item': ({ item, problem }) => `"${item}": ${problem}`,
  'invalid.entry': ({ place, path, problem }) => `Entrada ${place}: ${problem} (${path})`,
  invalid_text: ({ value }) => `${value} no es un texto. Envíe un texto entre comillas.`,
  'invalid_text.characters': 'Este texto contiene caracteres dañados. Escríbalo de nuevo.',
  'invalid_text.nul': 'Este texto contiene caracteres NUL. Elimínelos.',
  invalid_integer: ({ value }) => `${value} no es un número entero. Escríbalo así: 42.`,
  'invalid_integer.quoted': ({ value }) => `${value} está entre comillas. Envíe el número sin comillas.`,
  'invalid_integer.comma': ({ value }) =>
    `${value} contiene una coma. Escriba el número entero sin separadores, así: 5000.`,
  invalid_number: ({ value }) => `${value} no es un número. Escríbalo así: 90.5.`,
  'invalid_number.quoted': ({ value }) => `${value} está entre comillas. Envíe el número sin comillas.`,
  'invalid_number.comma': ({ value }) =>
    `${value} contiene una coma. Escriba el número con punto decimal y sin separadores de miles, así: 1234.5. O indique el idioma del archivo: locale=es-ES.`,
  'invalid_number.cell': ({ value }) => `${value} no es un número. Escriba un número, por ejemplo 90,5.`,
  'invalid_number.text_cell': ({ value }) =>
    `${value} es un texto y no un número. Dé a la celda el formato de número y escríbalo de nuevo.`,
  'invalid_number.form': ({ value, grouped, plain }) =>
    `${value} no es un número. Escríbalo así: ${grouped} o ${plain}.`,
  'invalid_number.digits': ({ value }) =>
    `Un libro no puede conservar todas las cifras de ${value}. Dé a la celda el formato de texto y escriba de nuevo el número.`,
  invalid_boolean: ({ value }) => `${value} no es ni true ni false. Envíe true o false, sin comillas.`,
  'invalid_boolean.cell': ({ value }) => `${value} no es ni true ni false. Escriba true o false, yes o no, 1 o 0.`,
  invalid_uuid: ({ value }) => `${value} no es un UUID. Escríbalo así: 7b3f1c5e-4a52-4f0e-9d7b-3f9f0f6f2a11.`,
  invalid_slug: ({ value }) => `${value} forma parte de otras direcciones de la API. Elija otro valor.`,
  'invalid_slug.reserved': ({ field, value }) =>
    `Este texto da a ${field} el valor ${value}, que forma parte de otras direcciones de la API. Cambie el texto.`,
  'invalid_slug.reserved_or_sent': ({ field, value }) =>
    `Este texto da a ${field} el valor ${value}, que forma parte de otras direcciones de la API. Envíe otro valor de ${field} o cambie el texto.`,
  'invalid_slug.empty': ({ field }) => `Este texto no tiene letras ni cifras para ${field}. Cambie el texto.`,
  'invalid_slug.empty_or_sent': ({ field }) =>
    `Este texto no tiene letras ni cifras para ${field}. Envíe ${field} o cambie el texto.`,
  invalid_choice: ({ value, choices }) => `${value} no es una de las opciones. Elija uno de estos valores: ${choices}.`,
  invalid_date: ({ value }) => `${value} no es una fecha. Escríbala así: 2026-01-15.`,
  'invalid_date.form': ({ value, local }) => `${value} no es una fecha. Escríbala así: ${local} o 2026-12-31.`,
  'invalid_date.no_such_day': ({ day }) => `El día ${day} no existe.`,
  invalid_datetime: ({ value }) => `${value} no es una fecha con hora. Escríbala así: 2026-01-15T10:30:00Z.`,
  'invalid_datetime.form': ({ value, local }) =>
    `${value} no es una fecha con hora. Escríbala así: ${local} o 2026-12-31T14:30.`,
  invalid_time: ({ value }) => `${value} no es una hora. Escríbala así: 10:30.`,
  'invalid_time.zone': ({ value }) => `${value} no es una hora. Escríbala así: 10:30+01:00.`,
  invalid_address: ({ value }) => `${value} no es una dirección IP. Escríbala así: 192.0.2.1.`,
  invalid_mac: ({ value }) => `${value} no es una dirección MAC. Escríbala así: 08:00:2b:01:02:03.`,
  invalid_json: 'Esto no es JSON válido. Escríbalo así: {"a": 1} o ["a", "b"].',
  invalid_base64: 'Esto no es base64 válido.',
  max_length: ({ max }) => `Como máximo ${counted(max, 'carácter', 'caracteres')}.`,
  'max_length.bytes': ({ max }) => `Como máximo ${counted(max, 'byte', 'bytes')}.`,
  'max_length.items': ({ max }) => `Como máximo ${counted(max, 'elemento', 'elementos')}.`,
  'max_length.names': ({ max }) => `Indique aquí como máximo ${counted(max, 'registro', 'registros')}.`,
  'max_length.rows': ({ rows, max }) => `Ha enviado ${counted(rows, 'fila', 'filas')}; el máximo es ${count(max)}.`,
  'max_length.form_field': 'Este campo es demasiado largo.',
  min_length: ({ min }) => `Como mínimo ${counted(min, 'carácter', 'caracteres')}.`,
  'min_length.items': ({ min }) => `La lista debe tener al menos ${counted(min, 'elemento', 'elementos')}.`,
  exact_length: ({ length }) => `Este campo debe tener exactamente ${counted(length, 'carácter', 'caracteres')}.`,
  multiple_of: ({ of }) => `El valor debe ser un múltiplo de ${of}.`,
  invalid_email: ({ value }) => `${value} no es una dirección de correo. Escríbala como name@example.org.`,
  invalid_url: ({ value }) => `${value} no es una dirección web. Escríbala como https://example.org.`,
  invalid_format: ({ value }) => `${value} no tiene la forma que necesita este campo.`,
  max_value: ({ max }) => `El valor debe ser menor o igual que ${max}.`,
  'max_value.exclusive': ({ max }) => `El valor debe ser menor que ${max}.`,
  min_value: ({ min }) => `El valor debe ser mayor o igual que ${min}.`,
  'min_value.exclusive': ({ min }) => `El valor debe ser mayor que ${min}.`,
  max_decimal_places: ({ max }) => `Como máximo ${counted(max, 'decimal', 'decimales')}.`,
  max_whole_digits: ({ max }) => `Como máximo ${counted(max, 'cifra', 'cifras')} antes del separador decimal.`,
  leading_zeros: ({ zeros }) =>
    zeros === 1 ? 'El primer decimal debe ser 0.' : `Los primeros ${count(zeros)} decimales deben ser 0.`,
  not_an_object: ({ found }) => `Envíe un objeto JSON${found === 'nothing' ? '' : `, no: ${FOUND[found]}`}.`,
  'not_an_object.here': 'Envíe un objeto JSON.',
  not_a_list: ({ found }) => `Envíe una lista JSON${found === 'nothing' ? '' : `, no: ${FOUND[found]}`}.`,
  'not_a_list.items': 'Envíe una lista de elementos.',
  'not_a_list.keys': 'Envíe una lista de identificadores.',
  'not_a_list.fields': 'Envíe una lista de nombres de campos.',
  'not_a_list.rows': 'Envíe una lista de filas.',
  'not_a_list.quote': ({ separator }) =>
    `Una comilla está en un lugar incorrecto. Escriba un elemento con una comilla o «${separator}» así: "a ""b"", c".`,
  'not_a_list.json': 'Esto no es una lista. Escríbala así: a, b o ["a", "b"].',
  'not_a_list.cut': 'Esta lista se cortó porque es demasiado larga para una celda de un libro. Use CSV.',
  'not_a_list.records': ({ example }) => `Esto no es una lista en JSON. Escríbala como ${example}.`,

  // Unique values and related records.
  unique: 'Otro registro ya tiene este valor.',
  'unique.together': ({ fields }) => `Otro registro ya tiene estos valores en ${fields}.`,
  'unique.same': ({ fields }) => `Otro registro tiene los mismos datos en ${fields}.`,
  'unique.exists': ({ fields }) => `Ya existe un registro con estos datos en ${fields}.`,
  'unique.item': 'Otro elemento de esta petición tiene el mismo valor.',
  'unique.items_together': ({ fields }) => `Otro elemento de esta petición tiene los mismos valores de ${fields}.`,
  does_not_exist: ({ record, field, value }) =>
    `No existe ningún registro (${record}) con el valor "${value}" en ${field}.`,
  'does_not_exist.several': ({ records, field, values, more }) =>
    `No existen registros (${records}) con estos valores en ${field}: ${listed(values, more)}.`,
  'does_not_exist.row': ({ fields }) => `No existe ningún registro con estos datos en ${fields}.`,
  'does_not_exist.referred': 'El registro al que se hace referencia aquí no existe.',
  'does_not_exist.user':
    'Su cuenta de usuario no está guardada aquí, por lo que ningún registro puede marcarse como creado o modificado por usted.',
  'does_not_exist.gone': 'Este registro acaba de ser eliminado.',
  ambiguous: ({ records, field, value }) =>
    `Varios registros (${records}) tienen el valor "${value}" en ${field}. Use un valor que solo tenga uno.`,
  'ambiguous.row': ({ fields }) =>
    `Varios registros tienen estos datos en ${fields}. Corríjalos para que solo los tenga uno.`,
  claimed_twice: ({ values }) => `Otro elemento también contiene ${values}.`,
  'claimed_twice.record': 'Otro elemento se refiere al mismo registro.',
  key_expected: ({ key }) => `Envíe el valor "${key}" del registro relacionado, no un objeto.`,
  'key_expected.value': ({ key, value }) => `Envíe el valor "${key}" del registro relacionado, no ${value}.`,
  out_of_scope: 'Después no podría ver este registro, por lo que no se puede guardar así.',
  'out_of_scope.related': 'Un registro nuevo debe estar entre aquellos a los que este campo puede hacer referencia.',
  restricted: 'Otros registros hacen referencia a este. Elimínelos primero o haga que se refieran a otro registro.',
  'restricted.by': ({ resources }) =>
    `Hay registros de ${and(resources.map(quote))} que hacen referencia a este. Elimínelos primero o haga que se refieran a otro registro.`,
  'restricted.records': ({ resources, keys, more }) =>
    `Hay registros de ${and(resources.map(quote))} que hacen referencia ${keys.length + more === 1 ? 'al registro' : 'a los registros'} ${listed(keys, more)}. Elimínelos primero o haga que se refieran a otros registros.`,
  'restricted.replace': ({ resources }) =>
    `Hay registros de ${and(resources.map(quote))} que hacen referencia a registros que se eliminarían, por lo que no se reemplazó nada. Elimínelos primero o añada las filas sin reemplazar.`,
  not_of_path: 'La dirección nombra otro registro. Omita este campo.',
  max_stored: ({ max }) =>
    `Esta lista admite como máximo ${counted(max, 'registro', 'registros')}, incluidos los ya guardados.`,
  truncated_list: 'Esta lista solo se leyó en parte. Omítala y sus registros quedarán como están.',
  must_belong: ({ values }) => `No se puede quitar, porque debe pertenecer a un registro: ${values}.`,
  not_soft_deletable: 'Estos registros no se pueden marcar como eliminados. Use bulk-delete.',
  repeated_header: 'Esta fila repite el encabezado.',
  example_row: 'Esta fila es el ejemplo de la plantilla, por lo que se omite. Elimínela.',
  'invalid.sensitive': 'Este valor no es válido. No se muestra porque es confidencial.',
  repeated_row: ({ field, numbers, more }) =>
    `Las filas ${more > 0 ? listed(numbers, more) : and(numbers)} tienen el mismo valor de ${field}. Conserve una.`,
  later_row: ({ row, field }) =>
    `La fila ${row} tiene el mismo valor de ${field} y otros valores. Conserve una de las filas.`,
  totals_row: ({ word, fields }) =>
    `Parece una fila de totales: contiene "${word}" y ningún valor para ${and(fields.map(quote))}. Elimine la fila o introduzca el valor.`,
  'totals_row.skipped': ({ word, fields }) =>
    `Parece una fila de totales: contiene "${word}" y ningún valor para ${and(fields.map(quote))}.`,
  'totals_row.label': ({ word }) => `Parece una fila de totales: su único texto es "${word}".`,
  'totals_row.stored': ({ word }) =>
    `Esta fila parece una fila de totales: su único texto es "${word}". Elimine la fila si no es un registro.`,
  marked_and_edited: ({ columns }) =>
    `Esta fila está marcada para eliminar, pero ${and(columns.map(quote))} ${columns.length === 1 ? 'se ha editado' : 'se han editado'}. Deshaga la edición, o borre la marca.`,
  marked_row: 'Esta fila está marcada para eliminar, pero no tiene ID. No se creó ni se eliminó nada.',
  read_only_column: 'Esta columna es de solo lectura. Los cambios en ella no se tuvieron en cuenta.',
  not_stored: 'La base de datos no guardó esta fila.',
  'not_stored.deleted': 'La base de datos no eliminó este registro.',
  'not_stored.record': 'No se guardó un registro.',
  'not_stored.related': 'No se guardó un registro relacionado.',

  // The message of an answer.
  /** Several sentences, one after the other. */
  sentences: ({ texts }) => texts.join(' '),
  several_errors: ({ count: errors }) =>
    `La solicitud contiene ${counted(errors, 'error', 'errores')}. La lista está en "errors".`,
  conflict: 'La solicitud entra en conflicto con datos guardados.',
  invalid_data: 'Los datos enviados no son válidos.',
  not_found: 'Este registro no existe o usted no puede verlo.',
  'not_found.key': ({ field, value }) => `No hay ningún registro con ${field} ${value}.`,
  'not_found.address': 'No hay nada en esta dirección.',
  'not_found.address_like': ({ method, address }) =>
    `No hay nada en esta dirección. ¿Quiso decir ${method} ${address}?`,
  'not_found.action': ({ action }) => `Este recurso no tiene "${action}".`,
  'not_found.page_numbers': 'Página no válida. Las páginas se numeran a partir de 1.',
  'not_found.last_page': ({ last }) => `Página no válida. La última página es la ${last}.`,
  'not_found.page': 'Página no válida. La lista termina antes.',
  'not_found.cursor': 'Posición en la lista (cursor) no válida. Empiece de nuevo por la primera página.',
  'not_found.resource_of_job': 'El recurso de esta tarea ya no existe.',
  'not_found.file_of_job': 'Esta tarea no ha creado ningún archivo.',
  'not_found.file_is_gone': 'El archivo de esta tarea ya no está disponible.',
  gone: ({ resource }) => `El recurso "${resource}" ya no existe.`,
  'gone.user': 'El usuario que pidió esta tarea ya no existe.',
  'gone.rows': 'Las filas de esta tarea ya no están disponibles.',
  'gone.file': 'El archivo de esta tarea ya no está disponible.',
  method_not_allowed: ({ method, allowed, address }) =>
    `El método "${method}" no está permitido aquí.${allowed && ` Permitido: ${allowed}.`}${address === undefined ? '' : ` ¿Quiso decir ${address}?`}`,
  not_authenticated: 'No se enviaron credenciales de acceso.',
  'not_authenticated.header': ({ headers }) =>
    `No se enviaron credenciales de acceso. Envíe la cabecera ${or(headers)}.`,
  'not_authenticated.scheme': ({ scheme, headers }) =>
    `Esta API no conoce el esquema "${scheme}" del encabezado Authorization. Envíe el encabezado ${or(headers)}.`,
  'not_authenticated.token': 'El token no es válido.',
  'not_authenticated.expired': 'El token ha caducado.',
  'not_authenticated.api_key': 'La clave de API no es válida.',
  'not_authenticated.background':
    'Solo un usuario con sesión iniciada puede pedir trabajo en segundo plano. Inicie sesión primero.',
  'not_authenticated.import_mapping':
    'Solo un usuario con sesión iniciada puede guardar una asignación. Inicie sesión primero.',
  not_movable: 'Este registro pertenece a otro que no puede modificar, así que no se puede mover.',
  permission_denied: 'No tiene permiso para realizar esta acción.',
  'permission_denied.hidden_columns':
    'Esta importación necesita columnas que usted no puede leer. Pida a una persona que pueda leerlas que importe el archivo.',
  'permission_denied.hidden_fields':
    'Esta solicitud busca los registros por campos que usted no puede leer. Pida a una persona que pueda leerlos que la envíe.',
  'permission_denied.pages': 'Esta lista solo se ofrece por páginas.',
  precondition_failed:
    'Otra persona ha modificado este registro desde que usted lo abrió. Vuelva a cargarlo y repita su cambio.',
  'precondition_failed.row':
    'Este registro ha cambiado desde que se exportó esta versión. Expórtelo de nuevo y repita su cambio.',
  'precondition_failed.missing_row': 'El registro de esta versión ya no existe. Vacíe la celda para crearlo de nuevo.',
  'precondition_failed.no_version':
    'Este recurso no tiene versiones, así que ningún registro tiene la etiqueta de If-Match. Envíe la solicitud sin esa cabecera.',
  'precondition_failed.unknown_tag': ({ value }) =>
    `Ninguna versión de este registro tiene el ETag ${value}. Envíe el ETag del registro tal como lo recibió.`,
  'precondition_failed.none_match': 'If-None-Match excluye este registro.',
  precondition_required:
    'Envíe el ETag del registro en la cabecera If-Match, para no perder ningún cambio de otra persona.',
  'precondition_required.item':
    'Envíe el ETag del registro como «_etag», para no perder ningún cambio de otra persona.',
  invalid_etag: ({ value }) =>
    `${value} no es un ETag. Envíe el ETag del registro tal como lo recibió, por ejemplo "1769000000000".`,
  different_etags: 'La cabecera If-Match y «_etag» del cuerpo indican versiones distintas. Envíe solo una de las dos.',
  etag_of_child:
    'Aquí un hijo no tiene ETag propio. Lo protege la versión del registro que lo contiene: envíe el ETag de ese registro.',
  misplaced_if_match:
    'If-Match es para la dirección de un solo registro. Para varios, dé a cada elemento su ETag como «_etag».',
  invalid_idempotency_key: ({ value }) =>
    `${value} no es una clave de idempotencia. Envíe un texto de 1 a 255 caracteres, por ejemplo un UUID.`,
  'invalid_idempotency_key.anonymous':
    'Solo un usuario identificado puede enviar una clave de idempotencia. Identifíquese primero.',
  'invalid_idempotency_key.file':
    'Una respuesta en forma de archivo no se puede enviar de nuevo. Envíe esta petición sin clave de idempotencia.',
  idempotency_key_reused:
    'Esta clave de idempotencia pertenece a otra petición. Envíe una petición cambiada con una clave nueva.',
  idempotency_key_in_use: 'Una petición con esta clave de idempotencia sigue en curso. Envíela de nuevo en un momento.',
  answer_too_long:
    'La petición se ejecutó. Su respuesta era demasiado larga para guardarla; lea los registros de nuevo.',
  answer_withheld: 'La petición se ejecutó. Su respuesta no se muestra de nuevo, porque sus permisos han cambiado.',
  'permission_denied.file': 'El archivo se creó con otros permisos o para otro inquilino. Expórtelo de nuevo.',
  'not_found.before_history': ({ start }) => `El historial de este registro empieza el ${start}.`,
  'does_not_exist.entry': ({ entry }) => `El historial de este registro no tiene la entrada ${entry}.`,
  'does_not_exist.state': ({ entry }) => `Después de la entrada ${entry} no había registro.`,
  not_revertible: 'Este campo no se puede recuperar. Cámbielo con una actualización.',
  'past_state.names': 'El historial tiene campos que ya no existen, así que no se conoce el estado de ese momento.',
  'past_state.erased': 'Se borraron entradas de este historial, así que no se conoce el estado de ese momento.',
  'past_state.unrecorded':
    'Desde entonces, una escritura sin historial eliminó este registro, así que no se conoce el estado de ese momento.',
  'past_state.other_type': 'El valor de ese momento no corresponde al tipo actual del campo.',
  'undone.changed': ({ user, at, fields }) => `${user ?? 'Alguien'} ha cambiado ${fields.join(', ')} el ${at}.`,
  'undone.deleted': ({ user, at }) => `${user ?? 'Alguien'} ha eliminado el registro el ${at}.`,
  'undone.stored_again': ({ user, at }) =>
    `${user ?? 'Alguien'} ha vuelto a crear un registro con este identificador el ${at}.`,
  'undone.by_job': ({ job, at, fields }) =>
    `La tarea ${job} ha cambiado ${fields.length > 0 ? fields.join(', ') : 'el registro'} el ${at}. Deshaga primero esa tarea.`,
  'undone.losses': ({ resources }) =>
    `Los registros de ${resources.join(', ')} que la base de datos eliminó junto con él no vuelven.`,
  'undone.unrecorded': ({ fields }) =>
    `Una escritura sin historial ha cambiado ${fields.length > 0 ? fields.join(', ') : 'el registro'}.`,
  'undone.redacted': ({ fields }) => `El valor anterior de ${fields.join(', ')} no se conserva.`,
  'undone.dropped': ({ fields }) =>
    fields.length > 0 ? `${fields.join(', ')} ya no existe.` : 'Un campo que ya no existe no vuelve.',
  'undone.other_type': ({ fields }) => `El valor anterior de ${fields.join(', ')} no corresponde al tipo actual.`,
  'undone.required': ({ fields }) => `El registro no tenía valor para ${fields.join(', ')}, y hace falta uno.`,
  'undone.referred': ({ resources }) => `Registros de ${resources.join(', ')} hacen referencia a él.`,
  'undone.some': ({ reversed, of }) =>
    `${reversed} de ${of} registros están como antes de la tarea. El archivo dice qué fue de los demás.`,
  'undone.would_be_some': ({ reversed, of }) =>
    `${reversed} de ${of} registros estarían como antes de la tarea. El archivo dice qué sería de los demás.`,
  not_undoable: 'Los cambios de esta tarea no están registrados, así que no se puede deshacer.',
  'not_undoable.export': 'Una exportación no ha cambiado nada.',
  'not_undoable.not_ended': ({ state }) => `Esta tarea aún no ha terminado (${state}). Deshágala cuando termine.`,
  'not_undoable.dry_run': 'Una prueba no ha guardado nada.',
  'not_undoable.nothing': 'Esta tarea no ha cambiado nada.',
  'not_undoable.running': ({ job }) => `La tarea ${job} la está deshaciendo.`,
  'not_undoable.done': ({ job }) => `La tarea ${job} ya la ha deshecho.`,
  too_many_requests: 'El servidor tiene demasiadas tareas sin terminar. Inténtelo de nuevo más tarde.',
  'too_many_requests.jobs': ({ jobs }) =>
    jobs === 1
      ? 'Tiene 1 tarea sin terminar. Inténtelo de nuevo cuando termine.'
      : `Tiene ${count(jobs)} tareas sin terminar. Inténtelo de nuevo cuando termine alguna.`,
  'too_many_requests.streams': ({ streams }) =>
    `Ya está siguiendo ${counted(streams, 'tarea', 'tareas')}. Cierre una de las conexiones o consulte la tarea sin eventos.`,
  service_unavailable: 'La base de datos no está disponible. Inténtelo de nuevo.',
  'service_unavailable.busy': 'La base de datos está ocupada. Inténtelo de nuevo.',
  'service_unavailable.closing': 'El servidor se está cerrando. Inténtelo de nuevo.',
  'service_unavailable.searches': 'Hay otras búsquedas y listas largas en curso. Inténtelo de nuevo.',
  'service_unavailable.streams': 'Hay otras listas y exportaciones largas en curso. Inténtelo de nuevo.',
  'service_unavailable.imports': 'Hay otras importaciones en curso. Inténtelo de nuevo más tarde.',
  'service_unavailable.pdf': 'Se están creando otros archivos PDF. Inténtelo de nuevo más tarde.',
  'service_unavailable.files':
    'El servidor no puede acceder a sus archivos en este momento. Inténtelo de nuevo más tarde.',
  'service_unavailable.disk': 'El servidor no puede guardar archivos en este momento. Inténtelo de nuevo más tarde.',
  'service_unavailable.keys':
    'El servidor no puede obtener las claves con las que comprueba los tokens. Inténtelo de nuevo.',
  'service_unavailable.unknown_outcome':
    'Se perdió la conexión con la base de datos mientras se guardaba su cambio. Abra el registro para ver si se ha guardado.',
  internal_error: ({ id }) =>
    `Se ha producido un error por nuestra parte. Si necesita ayuda, indique el identificador de error ${id}.`,

  // The request itself.
  malformed: 'La solicitud está mal formada.',
  'malformed.http': 'La solicitud no es HTTP válido.',
  'malformed.url': 'La URL está mal formada.',
  'malformed.percent':
    'La URL está mal formada: después de % deben ir dos cifras hexadecimales que formen UTF-8 válido.',
  'malformed.nul_in_url': 'La URL contiene caracteres NUL (%00). Elimínelos.',
  'malformed.host': 'La cabecera Host está mal formada.',
  'malformed.hosts': 'Envíe una sola cabecera Host.',
  'malformed.protocol': 'La cabecera X-Forwarded-Proto está mal formada.',
  'malformed.empty': 'El cuerpo de la solicitud está vacío.',
  'malformed.json': 'El cuerpo de la solicitud no es JSON válido.',
  'malformed.json_at': ({ place, expected, found }) =>
    `El cuerpo de la solicitud no es JSON válido (${place}). Se esperaba: ${expected}${found === undefined ? ', pero el cuerpo termina ahí' : `; se encontró: ${found}`}.`,
  'malformed.place': ({ line, column }) => `línea ${line}, columna ${column}`,
  'json.end': 'el final del cuerpo',
  'json.value': 'un valor',
  'json.comma_or_bracket': '"," o "]"',
  'json.comma_or_brace': '"," o "}"',
  'json.key': 'una clave entre comillas dobles',
  'json.key_or_no_comma': 'una clave después de la coma, o ninguna coma',
  'json.colon': '":"',
  'json.escape': 'una secuencia de escape de JSON, como \\n',
  'json.escaped_control': 'caracteres de control con escape',
  'json.closing_quote': 'unas comillas de cierre',
  'size.megabytes': ({ size }) => `${size} MB`,
  'size.bytes': ({ size }) => `${count(size)} bytes`,
  'malformed.utf8': ({ place }) => `El cuerpo de la solicitud no es UTF-8 válido (${place}). Envíelo en UTF-8.`,
  'malformed.too_deep': ({ levels, place }) =>
    `El cuerpo de la solicitud supera ${counted(levels, 'nivel', 'niveles')} de anidamiento (${place}).`,
  'malformed.number': ({ number }) => `${number} no es un número en JSON.`,
  'malformed.repeated_key': 'Esta clave aparece más de una vez.',
  'malformed.key': ({ key, problem }) => `La clave ${key} no es válida. ${problem}`,
  'malformed.forbidden_key': ({ key }) => `La clave ${key} no está permitida aquí.`,
  'malformed.nul': 'No se admiten caracteres NUL.',
  'malformed.surrogate': ({ character }) => `No se admiten caracteres sustitutos (surrogates): ${character}.`,
  'malformed.inexact_integer': 'Este entero es demasiado grande para ser exacto como número. Envíelo entre comillas.',
  'malformed.huge_number': 'Este número es demasiado grande.',
  'malformed.inexact_number': ({ value }) =>
    `Este número no se puede conservar con exactitud: se convertiría en ${value}. Envíelo entre comillas.`,
  'malformed.cut_off': 'El cuerpo de la solicitud llegó incompleto.',
  'malformed.multipart': 'El cuerpo de la solicitud no es multipart/form-data válido.',
  'malformed.boundary': 'La cabecera Content-Type no indica ningún boundary.',
  'malformed.upload_cut_off': 'El archivo no se subió por completo.',
  'malformed.closed': 'El cliente cerró la conexión.',
  unsupported_media_type: 'Envíe el cuerpo de la solicitud como application/json.',
  'unsupported_media_type.utf8': 'Envíe el cuerpo de la solicitud como application/json, en UTF-8.',
  'unsupported_media_type.encoding': 'Envíe el cuerpo de la solicitud tal cual, sin Content-Encoding.',
  'unsupported_media_type.multipart': 'Envíe el archivo como multipart/form-data.',
  payload_too_large: ({ limit }) =>
    `El cuerpo de la solicitud es demasiado grande.${limit === undefined ? '' : ` El límite es de ${limit}.`}`,
  'payload_too_large.file': ({ limit }) => `El archivo supera ${limit}.`,
  request_timeout: 'La solicitud tardó demasiado en llegar.',
  'request_timeout.stopped': 'La subida del archivo se detuvo.',
  'request_timeout.upload': 'La subida del archivo tardó demasiado.',
  headers_too_large: 'La URL y las cabeceras son demasiado grandes.',
  expectation_failed: 'Solo se admite "Expect: 100-continue".',

  // Query parameters.
  repeated: 'Indique este parámetro una sola vez.',
  unknown_parameter: ({ name, hint }) => `Parámetro desconocido: "${name}". ${hint}`,
  'hint.did_you_mean': ({ name }) => `¿Quiso decir "${name}"?`,
  'hint.known': ({ names, more }) => `Parámetros conocidos: ${listed(names, more)}.`,
  'hint.none': 'Esta acción no admite parámetros.',
  'hint.body': 'Envíelo en el cuerpo de la solicitud, no en la dirección.',
  'hint.paging': ({ names }) => `Para recorrer las páginas de esta lista, use ${and(names)}.`,
  'hint.lookups': ({ field, names, more }) => `Filtros posibles para "${field}": ${listed(names, more)}.`,
  invalid_expression: ({ at }) =>
    `Esta expresión no se puede leer a partir del carácter ${at}. Escriba las condiciones entre paréntesis y separadas por comas, como (rating__gte=4,and(kind=new,name="a, b")).`,
  'invalid_expression.depth': ({ max }) => `Las condiciones pueden estar en ${max} niveles de paréntesis como máximo.`,
  'invalid_expression.size': ({ max }) => `Una expresión puede tener ${max} condiciones como máximo.`,
  too_many_tables: ({ max }) =>
    `Esta petición pregunta por demasiados registros relacionados a la vez: ${max} tablas como máximo. Envíe menos filtros.`,
  invalid_parameter: ({ expected }) => `Indique ${expected}.`,
  'expected.text': 'un texto',
  'expected.whole': ({ min, max }) => `un número entero de ${min} a ${max}`,
  'expected.whole_number': 'un número entero, por ejemplo 42',
  'expected.number': 'un número, por ejemplo 12.5',
  'expected.boolean': 'true o false',
  'expected.row': 'el número de una fila o, en un libro, los números por hoja: {"Prices": 4}',
  'expected.date': 'una fecha, por ejemplo 2026-01-15',
  'expected.datetime': 'una fecha, con o sin hora, por ejemplo 2026-01-15T10:30:00Z',
  'expected.time': 'una hora, por ejemplo 10:30',
  'expected.uuid': 'un UUID válido',
  'expected.key': ({ key, value }) => `el valor "${key}" del registro relacionado: ${value}`,
  'expected.choice': ({ choices }) => `uno de estos valores: ${choices}`,
  'expected.list': ({ each }) => `valores separados por comas (cada uno: ${each})`,
  'expected.pair': ({ each }) => `dos valores separados por una coma (cada uno: ${each})`,
  'expected.year': 'un año de cuatro cifras, por ejemplo 2026',
  'expected.state': 'active, deleted o all',
  'expected.page': 'un número entero mayor que 0',
  'expected.offset': 'un número entero mayor o igual que 0',
  unknown_ordering: ({ name, known }) => `No se puede ordenar por "${name}". Campos conocidos: ${known}.`,
  'unknown_ordering.direction': ({ name, meant }) => `No se puede ordenar por "${name}". ¿Quiso decir "${meant}"?`,
  'unknown_ordering.too_many': ({ max, known }) =>
    `Se puede ordenar como máximo por ${counted(max, 'campo', 'campos')}. Campos conocidos: ${known}.`,
  search_too_long: ({ max }) => `La búsqueda admite como máximo ${counted(max, 'carácter', 'caracteres')}.`,
  'search_too_long.words': ({ max }) => `La búsqueda admite como máximo ${counted(max, 'palabra', 'palabras')}.`,

  // Uploads, and the options of an import.
  no_file: 'No se envió ningún archivo. Envíelo en el campo de formulario "file".',
  'no_file.empty': 'El archivo enviado está vacío. Elija otro.',
  'no_file.name': 'No se envió ningún archivo: el campo de formulario no tiene nombre de archivo.',
  'repeated.file': 'Envíe un solo archivo cada vez.',
  'repeated.field': 'Indique este campo una sola vez.',
  'repeated.differently': 'El formulario y la dirección se contradicen en este punto; indíquelo una sola vez.',
  too_many_parts: ({ max }) => `Envíe un archivo y como máximo ${counted(max, 'campo', 'campos')}.`,
  misplaced: 'Envíe este campo en el formulario, no en la dirección.',
  dry_run_only: 'Solo una importación de prueba muestra lo que cambiaría: envíe también dry_run=true.',
  invalid_mapping:
    'Envíe un objeto JSON que indique el campo de cada encabezado de columna, o null para omitir la columna: {"Airport code": "iata"}.',
  invalid_values:
    'Envíe un objeto JSON que indique, para cada encabezado de columna, otros valores para sus textos, o null para ninguno: {"Country": {"Norge": "NO"}}.',
  'invalid_values.sensitive': ({ column }) =>
    `"${column}" es confidencial, así que sus celdas no se pueden cambiar aquí.`,
  invalid_headers:
    'Envíe los encabezados del archivo como una lista de textos, o un objeto JSON con una lista por cada hoja.',
  too_many_import_mappings: ({ max }) =>
    `Ya hay ${count(max)} asignaciones guardadas, el máximo permitido. Elimine una primero.`,
  no_background: 'Esta API no hace nada en segundo plano.',
  'no_background.too_large': 'Estas opciones son demasiado grandes para una tarea en segundo plano.',
  own_rows_only: 'Este recurso solo exporta sus propias filas.',
  invalid_delimiter: ({ value }) => `${value} no es un separador. Elija uno de estos: "," ";" "\\t".`,
  invalid_encoding: ({ encoding, example }) => `«${encoding}» no es una codificación. Escríbala como «${example}».`,
  invalid_locale: ({ locale, example }) => `«${locale}» no es un código de idioma. Escríbalo como «${example}».`,
  'invalid_locale.unknown': ({ locale }) => `No se conoce el idioma «${locale}».`,
  'invalid_locale.calendar': ({ locale, calendar, gregorian }) =>
    `«${locale}» tiene el calendario «${calendar}», que los archivos no admiten. Escriba «${gregorian}».`,
  unknown_setting: ({ names, known }) =>
    `${names.length === 1 ? 'Ajuste desconocido' : 'Ajustes desconocidos'}: ${names.map(quote).join(', ')}. Ajustes conocidos: ${known}.`,
  unknown_field: ({ names, more, known }) =>
    `${names.length + more === 1 ? 'Campo desconocido' : 'Campos desconocidos'}: ${listed(names.map(quote), more)}. Campos conocidos: ${known}.`,
  'unknown_field.shown': ({ name, hint }) => `No hay ningún campo «${name}». ${hint}`,
  missing_package: ({ format, packages, choices }) =>
    `Para "${format}" faltan paquetes en este servidor: ${packages}. Elija uno de estos formatos: ${choices}.`,

  // Files that cannot be read or written.
  unreadable: 'El archivo está vacío.',
  'unreadable.xls': 'El libro está dañado. Ábralo en un programa de hojas de cálculo y guárdelo como XLSX.',
  'unreadable.xlsx': 'El libro está dañado. Ábralo en un programa de hojas de cálculo y guárdelo de nuevo.',
  'unreadable.doctype':
    'El libro contiene una declaración de tipo de documento (DOCTYPE), que no se admite en los libros.',
  'unreadable.entity': 'El libro usa una entidad XML que no se admite en los libros.',
  'unreadable.nul':
    'El archivo contiene caracteres NUL, así que está dañado o no es un archivo de texto. Guárdelo de nuevo como CSV UTF-8.',
  'unreadable.open_quote': ({ row }) =>
    `La fila ${row} tiene unas comillas (") que no se cierran. Ciérrelas o elimínelas.`,
  'unreadable.quote': ({ row }) =>
    `La fila ${row} tiene texto detrás de una celda entre comillas ("): duplique las comillas que hay dentro de la celda.`,
  'unreadable.bytes': ({ row, encoding }) =>
    `La fila ${row} tiene bytes que no son texto en la codificación ${encoding}. Guarde el archivo como CSV UTF-8 o indique su codificación.`,
  'unreadable.encoding':
    'El archivo no está en UTF-8 ni en Windows-1252. Guárdelo como CSV UTF-8 o indique su codificación, por ejemplo encoding=windows-1251.',
  encrypted: 'El libro está protegido con contraseña: guárdelo sin ella.',
  wrong_format: ({ found, formats }) => `El archivo parece ser ${found}. Envíe un archivo en formato ${or(formats)}.`,
  'wrong_format.unknown': ({ formats }) =>
    `El archivo no es ni un archivo de texto ni un libro. Envíe un archivo en formato ${or(formats)}.`,
  'wrong_format.spreadsheet': ({ found, format }) =>
    `El archivo parece ser ${found}. Ábralo en un programa de hojas de cálculo, guárdelo como ${format} (Guardar como, .${format.toLowerCase()}) y envíe el archivo nuevo.`,
  'content.csv': 'un archivo CSV',
  'content.xls': 'un archivo XLS',
  'content.xlsx': 'un archivo XLSX',
  'content.pdf': 'un documento PDF',
  'content.png': 'una imagen PNG',
  'content.jpeg': 'una imagen JPEG',
  'content.gif': 'una imagen GIF',
  'content.archive': ({ type }) => `un archivo comprimido ${type}`,
  'content.rtf': 'un documento RTF',
  'content.sqlite': 'una base de datos SQLite',
  'content.parquet': 'un archivo Parquet',
  'content.program': 'un programa',
  'content.xml': 'un documento XML',
  'content.html': 'una página web (HTML)',
  'content.json': 'un archivo JSON',
  'content.word': 'un documento de Word',
  'content.presentation': 'una presentación',
  'content.xlsb': 'un libro binario (XLSB)',
  'content.ods': 'una hoja de cálculo OpenDocument (ODS)',
  too_large: ({ limit }) => `El archivo supera ${limit}.`,
  'too_large.rows': ({ max }) => `Hay más de ${counted(max, 'fila', 'filas')}.`,
  'too_large.sheet_rows': ({ max }) => `Una hoja tiene más de ${counted(max, 'fila', 'filas')}.`,
  'too_large.row_columns': ({ row, max }) => `La fila ${row} tiene más de ${counted(max, 'columna', 'columnas')}.`,
  'too_large.cell': ({ row, max }) =>
    `La fila ${row} tiene una celda de más de ${counted(max, 'carácter', 'caracteres')}.`,
  'too_large.row': ({ row, max }) => `La fila ${row} tiene más de ${counted(max, 'carácter', 'caracteres')}.`,
  'too_large.all': ({ row, max }) =>
    `A partir de la fila ${row}, el texto supera en total ${counted(max, 'carácter', 'caracteres')}.`,
  'too_large.sheets': ({ max }) => `El libro tiene más de ${counted(max, 'hoja', 'hojas')}.`,
  'too_large.columns': ({ max }) => `Una hoja puede tener como máximo ${counted(max, 'columna', 'columnas')}.`,
  'too_large.record': ({ row, bytes }) =>
    `La fila ${row} supera ${counted(bytes, 'byte', 'bytes')}: quizá tenga unas comillas (") sin cerrar.`,
  'too_large.text': ({ max }) => `El libro contiene un texto de más de ${counted(max, 'carácter', 'caracteres')}.`,
  'too_large.long_text': 'El libro contiene un texto demasiado largo.',
  'too_large.unpacked': ({ bytes }) => `Descomprimido, el libro ocuparía ${counted(bytes, 'byte', 'bytes')}.`,
  'too_large.parts': ({ max }) => `El libro se compone de más de ${counted(max, 'parte', 'partes')}.`,
  'too_large.zip': 'Un libro no puede superar 4 GiB.',
  'too_large.memory': 'El libro necesita demasiada memoria; divídalo en libros más pequeños o guárdelo como CSV.',
  'too_large.pdf_memory': 'El PDF necesita demasiada memoria; exporte menos filas.',
  'too_large.pdf_columns': ({ max }) => `Un PDF tiene como máximo ${max} columnas.`,
  'too_large.pdf_characters': ({ max }) =>
    `Un PDF admite como máximo ${count(max)} caracteres distintos; exporte menos filas, o un archivo CSV o XLSX.`,
  out_of_time: 'La lectura del libro tarda demasiado; divídalo en libros más pequeños o guárdelo como CSV.',
  'out_of_time.pdf': 'La creación del PDF tardó demasiado; exporte menos filas.',
  too_many_rows: ({ format, max, rows }) =>
    `Un archivo ${format} admite como máximo ${counted(max, 'fila', 'filas')}; aquí hay ${count(rows)}. Filtre las filas.`,
  'too_many_rows.pdf': ({ max, rows }) =>
    `Un archivo pdf admite como máximo ${counted(max, 'fila', 'filas')}; aquí hay ${count(rows)}. Filtre las filas o elija csv o xlsx.`,
  text_cut: ({ cells }) =>
    cells === 1
      ? `1 celda superaba los ${count(32_767)} caracteres y se recortó.`
      : `${count(cells)} celdas superaban los ${count(32_767)} caracteres y se recortaron.`,
  missing_glyphs: ({ count: missing, characters }) =>
    missing === 1
      ? `Ninguna fuente contiene este carácter: ${characters}`
      : `Ninguna fuente contiene estos ${count(missing)} caracteres: ${characters}`,

  // Columns and sheets of an import.
  missing_column: ({ column, others }) =>
    `Falta la columna "${column}"${others.length === 0 ? '' : `; también puede llamarse ${or(others.map(quote))}`}.`,
  repeated_column: ({ count: times, column }) => `El archivo tiene ${count(times)} columnas "${column}". Conserve una.`,
  'missing_column.none': 'El archivo no tiene columnas.',
  'missing_column.other_row': 'Si los nombres de las columnas están en otra fila, envíe su número como "header_row".',
  'missing_column.found': ({ columns, more, row }) =>
    `${columns.length + more === 1 ? 'Columna' : 'Columnas'} del encabezado (${row === undefined ? 'la primera fila' : `fila ${row}`}): ${listed(columns.map(quote), more)}.`,
  invalid_header_row: ({ row, sheet }) =>
    `La fila ${row} no puede ser el encabezado${sheet === '' ? '' : ` de la hoja "${sheet}"`}: está vacía o no es una de las 30 primeras con contenido.`,
  'invalid_header_row.csv_sheet': ({ sheet }) =>
    `El archivo no tiene ninguna hoja "${sheet}", pues es CSV; envíe solo el número.`,
  'invalid_header_row.unknown_sheet': ({ sheet, hint }) => `El archivo no tiene ninguna hoja "${sheet}". ${hint}`,
  'invalid_header_row.unread_sheet': ({ sheet, hint }) => `La hoja "${sheet}" no se importa. ${hint}`,
  missing_sheet: ({ sheet }) => `El libro no tiene ninguna hoja "${sheet}".`,
  'missing_sheet.found': ({ sheets, more }) =>
    `Hojas del libro: ${sheets.map(quote).join(', ')}${more ? ', ...' : '.'}`,
  'missing_sheet.rename': ({ sheet }) => `Llame "${sheet}" a la hoja que tiene las filas, o deje una sola hoja.`,
  'missing_sheet.needed': ({ sheets }) =>
    `Ponga todas las columnas en una sola hoja o nombre las hojas ${and(sheets.map(quote))}.`,
  template_is_at: ({ problem, address }) => `${problem} La plantilla está en ${address}`,
  'invalid_mapping.file': 'La asignación no se ajusta al archivo.',
  'invalid_mapping.column': ({ column, hint }) => `El archivo no tiene ninguna columna "${column}". ${hint}`,
  'invalid_mapping.repeated': ({ column }) => `"${column}" aparece dos veces.`,
  'invalid_mapping.several': ({ count: times, column, first }) =>
    `El archivo tiene ${count(times)} columnas "${column}"; escriba "${first}" para la primera.`,
  'invalid_mapping.both': ({ one, other, field }) =>
    `"${one}" y "${other}" no pueden asignarse las dos al campo "${field}".`,
  'invalid_mapping.field': ({ column, field, hint }) => `"${column}": "${field}" no se importa. ${hint}`,
  'invalid_mapping.ambiguous': ({ column, fields }) =>
    `"${column}": ¿a qué campo se refiere? Escriba ${or(fields.map(quote))}.`,
  'invalid_mapping.sheet': ({ sheet, hint }) => `El archivo no tiene ninguna hoja "${sheet}". ${hint}`,
  'invalid_mapping.csv_sheet': ({ sheet }) =>
    `El archivo no tiene ninguna hoja "${sheet}", porque es CSV; indique sus columnas sin hoja: {"Airport code": "iata"}.`,
  'invalid_mapping.unread_sheet': ({ sheet, hint }) => `La hoja "${sheet}" no se importa. ${hint}`,
  'invalid_mapping.by_sheet': ({ sheet }) =>
    `Se importan varias hojas: indique las columnas por hoja, {"${sheet}": {...}}.`,
  'hint.names': ({ names }) => `Nombres conocidos: ${names.map(quote).join(', ')}.`,
  nothing_to_replace: 'El archivo no tiene filas, por lo que no se reemplazó nada.',
  'nothing_to_replace.skipped': 'Se omitieron todas las filas que reemplazarían algo, por lo que no se reemplazó nada.',

  // The outcome of a restore, of an import and of a job.
  restored: 'El registro se restauró.',
  'restored.active': 'El registro no estaba eliminado, por lo que no ha cambiado.',
  'imported.no_rows': 'El archivo no tiene filas debajo del encabezado, por lo que no se importó nada.',
  'imported.would_fail': ({ failed, of }) =>
    `${rowsOf(failed, of)} ${failed === 1 ? 'tendría' : 'tendrían'} errores. Era una importación de prueba: no se guardó nada.`,
  'imported.not_replaced': ({ failed, of }) =>
    `${haveErrors(failed, of)}, por lo que no se reemplazó nada: todo sigue como antes.`,
  'imported.all_failed': ({ failed, of }) => `${haveErrors(failed, of)}; no se guardó nada.`,
  'imported.rolled_back': ({ failed, of }) =>
    `${haveErrors(failed, of)}, por lo que no se guardó nada: todo sigue como antes.`,
  'imported.some_failed': ({ failed, of, stored }) =>
    `${haveErrors(failed, of)}; ${stored === 1 ? 'la otra se guardó' : `las otras ${count(stored)} se guardaron`}.`,
  'imported.mixed': ({ failed, of, stored, deleted, unchanged, skipped }) =>
    `${haveErrors(failed, of)}; de las demás: ${present([
      [stored, counted(stored, 'guardada', 'guardadas')],
      [deleted, counted(deleted, 'eliminada', 'eliminadas')],
      [unchanged, counted(unchanged, 'sin cambios', 'sin cambios')],
      [skipped, counted(skipped, 'omitida', 'omitidas')],
    ])}.`,
  'imported.file_has_all': ({ message }) =>
    `${message} El archivo contiene todas las filas: corríjalo y envíelo de nuevo.`,
  'imported.before': ({ problem, rows, created, updated, deleted }) =>
    `${problem} Antes de eso ${rows === 1 ? 'se importó la primera fila' : `se importaron las primeras ${count(rows)} filas`} (${counted(created, 'creada', 'creadas')}, ${counted(updated, 'actualizada', 'actualizadas')}${deleted > 0 ? `, ${counted(deleted, 'eliminada', 'eliminadas')}` : ''}).`,
  'imported.ended_early': ({ problem }) => `${problem} Puede importar de nuevo el mismo archivo.`,
  'job.cancelled': 'Cancelada.',
  imported_before: ({ day, job }) => `Este archivo ya se importó el ${day}, con la tarea ${job}.`,
  job_has_ended: 'Esta tarea ya ha terminado.',
  job_not_ended: ({ state }) => `Esta tarea aún no ha terminado (${state}); pida el archivo cuando haya terminado.`,
  'job.crashed': ({ times }) =>
    `El servidor se detuvo ${counted(times, 'vez', 'veces')} durante esta tarea, sin avanzar.`,
  'job.nothing_stored': ({ reason }) => `${reason} No se guardó nada.`,

  // Templates, files of failed rows, and PDF.
  'template.required': 'Obligatorio.',
  'template.optional': 'Opcional.',
  'template.takes_blank': 'Opcional: una celda vacía es un texto vacío.',
  'template.text': 'Texto.',
  'template.text_of': ({ max }) => `Texto de hasta ${counted(max, 'carácter', 'caracteres')}.`,
  'template.choice': ({ choices }) => `Uno de estos valores: ${choices}.`,
  'template.whole': 'Un número entero.',
  'template.number': 'Un número.',
  'template.decimal': ({ digits }) => `Un número con un máximo de ${counted(digits, 'decimal', 'decimales')}.`,
  'template.boolean': 'true o false.',
  'template.date': 'Una fecha: AAAA-MM-DD.',
  'template.datetime': 'Una fecha con hora, por ejemplo 2026-01-15T10:30:00Z.',
  'template.time': 'Una hora, por ejemplo 10:30.',
  'template.uuid': 'Un UUID.',
  'template.json': 'JSON.',
  'template.list': 'Una lista, por ejemplo a, b. Un elemento con coma va entre comillas: "a, b".',
  'template.bytes': 'Bytes en base64.',
  'template.bytes_of': ({ max }) => `Hasta ${counted(max, 'byte', 'bytes')}, en base64.`,
  'template.number_form': ({ grouped, plain }) => `Escriba un número así: ${grouped} o ${plain}.`,
  'template.date_form': ({ local }) => `Escriba una fecha así: ${local} o 2026-12-31.`,
  'template.datetime_form': ({ local }) => `Escriba una fecha con hora así: ${local} o 2026-12-31T14:30.`,
  'template.boolean_form': ({ yes, no }) => `O bien ${yes} y ${no}.`,
  'template.value': ({ field, record, example }) =>
    `El valor de ${field} de un registro (${record})${example === undefined ? '' : `, por ejemplo ${example}`}.`,
  'template.stored': 'Este registro debe estar guardado ya.',
  'template.stored_or_above': 'Este registro debe estar guardado ya o aparecer en una fila anterior.',
  'template.of_sheet': ({ sheet }) => `Este registro debe aparecer en la hoja "${sheet}" o estar guardado ya.`,
  'template.several': ({ separator }) =>
    `Separe varios valores con "${separator}"; el registro se vincula a estos y a ningún otro.`,
  'template.records':
    'Una lista en JSON, con un objeto por cada entrada. Una celda vacía deja la lista guardada como está.',
  'template.deletes': ({ words }) =>
    `Una fila con ${or(words.map(quote))} elimina su registro. De sus otras celdas solo cuentan las que sirven para encontrarlo.`,
  'template.update_create': ({ fields }) =>
    `Una fila actualiza el registro que tiene los mismos datos en ${fields}; si no existe, lo crea.`,
  'template.update_skip': ({ fields }) =>
    `Una fila actualiza el registro que tiene los mismos datos en ${fields}; si no existe, la fila se omite.`,
  'template.update_fail': ({ fields }) =>
    `Una fila actualiza el registro que tiene los mismos datos en ${fields}; este debe existir ya.`,
  'template.skip_create': ({ fields }) =>
    `Si ya existe un registro con los mismos datos en ${fields}, queda como está; si no, la fila lo crea.`,
  'template.skip_skip': ({ fields }) =>
    `Si ya existe un registro con los mismos datos en ${fields}, queda como está; si no, la fila se omite.`,
  'template.skip_fail': ({ fields }) =>
    `El registro que tiene los mismos datos en ${fields} queda como está; este debe existir ya.`,
  'template.fail_create': ({ fields }) =>
    `Aún no debe existir ningún registro con los mismos datos en ${fields}; la fila lo crea.`,
  'template.fail_skip': ({ fields }) =>
    `Aún no debe existir ningún registro con los mismos datos en ${fields}; si no existe, la fila se omite.`,
  'template.fail_fail': ({ fields }) =>
    `Una fila con los mismos datos que un registro en ${fields} solo puede eliminarlo; las demás filas son erróneas.`,
  'template.example_row': 'Esta fila es un ejemplo. Sobrescríbala o elimínela: sin cambios, la importación la omite.',
  'template.guide': 'Cómo rellenar',
  'template.guide_sheet': 'Hoja',
  'template.guide_column': 'Columna',
  'template.guide_rule': 'Valores esperados',
  'template.guide_example': 'Ejemplo',
  'template.guide_choices': 'Valores permitidos',
  'template.more_choices': ({ choices, more }) => `${choices} y ${count(more)} más`,
  'template.edit_id': 'ID (no cambiar)',
  'template.edit_id_note': 'Identifica el registro de la fila. Déjelo vacío para un registro nuevo.',
  'template.edit_mark': '¿Eliminar?',
  'template.edit_mark_other': '¿Eliminar este registro?',
  'template.edit_mark_note': ({ yes }) =>
    `Elija «${yes}» para eliminar el registro de esta fila. Si la fila tiene otros cambios, falla.`,
  'template.edit_guide': 'Cómo editar esto',
  'template.edit_change':
    'Para cambiar un valor, sobrescriba su celda. Las demás celdas conservan sus valores guardados.',
  'template.edit_add': ({ id }) => `Para añadir un registro, escriba una fila nueva y deje "${id}" vacío.`,
  'template.edit_delete': ({ yes, mark }) => `Para eliminar un registro, elija "${yes}" en la columna "${mark}".`,
  'template.edit_keep': 'Si quita una fila de este archivo, su registro queda como está.',
  'template.edit_read_only': 'Las columnas grises son solo de lectura.',
  'template.edit_arrange': ({ id }) =>
    `Puede ordenar y filtrar filas, y mover columnas. No cambie los encabezados ni nada en "${id}".`,
  'template.edit_send':
    'Después importe este archivo. Las filas con errores vuelven en un archivo que indica los errores.',
  'template.read_only': 'Esta columna es de solo lectura. Los cambios en ella no se tienen en cuenta.',
  'too_many_rows.edit': ({ rows, max }) =>
    `Un archivo para editar tiene como máximo ${max} registros, y estos son ${rows}. Elija menos con un filtro.`,
  'invalid_edit_file.damaged': 'La hoja oculta de este archivo está dañada. Exporte los registros de nuevo.',
  'invalid_edit_file.other_records': 'Este archivo se exportó de otros registros. Impórtelo allí.',
  'invalid_edit_file.no_ids': ({ column }) =>
    `Ninguna hoja tiene la columna «${column}», que identifica el registro de cada fila.`,
  'invalid_edit_file.renamed': ({ columns, others }) =>
    `${columns.length === 1 ? 'La columna' : 'Las columnas'} ${and(columns.map(quote))} ${columns.length === 1 ? 'es desconocida' : 'son desconocidas'} y ${others.length === 1 ? 'falta' : 'faltan'} ${and(others.map(quote))}. Devuelva a las columnas sus encabezados anteriores.`,
  'invalid_edit_file.replace':
    'Un archivo editado cambia registros sueltos, así que no puede reemplazarlos todos. Envíe append_data=true.',
  'invalid_edit_file.no_import':
    'Los archivos de este recurso no se pueden editar. Hace falta una importación de libros que actualice registros y una clave primaria de una sola columna.',
  'invalid_edit_file.format': 'Un archivo para editar es un libro. Envíe «xlsx».',
  'invalid_edit_file.own_columns':
    'Un archivo para editar tiene las columnas y filas de la importación. Omita este campo.',
  'invalid_edit_file.marked': ({ rows, column }) =>
    `${counted(rows, 'fila está marcada', 'filas están marcadas')} para eliminar. Envíe delete_marked=true para eliminar los registros, o vacíe la columna «${column}».`,
  'invalid_edit_file.no_delete': ({ column }) => `Este recurso no elimina registros. Vacíe la columna «${column}».`,
  'invalid.no_new_rows': 'Esta importación no añade registros. Quite esta fila.',
  not_written:
    'Esta celda se ha editado, pero no se escribe: usted no puede cambiarla, o no forma parte de la importación.',
  'invalid_edit_file.two_sheets': ({ names }) =>
    `Las hojas ${and(names.map(quote))} tienen los ID. Quite la que no corresponda.`,
  'invalid_edit_file.no_base':
    'Falta la hoja oculta de este archivo, así que no muestra qué se ha editado. Exporte los registros de nuevo. Para importar todas las filas tal como están, borre la columna de los ID.',
  'invalid.no_result':
    'Esta fórmula no tiene resultado. Abra el archivo en un programa de hojas de cálculo y guárdelo.',
  'invalid_edit_file.not_editable':
    'Esta importación no cambia registros guardados, así que sus archivos no se pueden editar.',
  'does_not_exist.edited_id': ({ id }) =>
    `Este archivo no tiene ningún registro con el ID ${id}. Deje vacío el ID de un registro nuevo.`,
  'does_not_exist.edited': 'Ese registro ya no existe, o usted no puede verlo.',
  'repeated.id': 'Otra fila tiene el mismo ID. Borre el ID de la fila que es nueva.',
  'invalid.not_whole': 'El archivo no tiene el valor completo de esta celda, así que no se puede cambiar aquí.',
  'invalid.mark': ({ yes }) => `Escriba «${yes}» para eliminar este registro, o vacíe la celda.`,
  'conflict.edited': ({ before, now, yours }) =>
    `Este valor ha cambiado desde la exportación. Era ${before} y ahora es ${now}. Usted escribió ${yours}.`,
  'conflict.marked': ({ columns }) =>
    `Esta fila está marcada para eliminar, pero su registro ha cambiado desde la exportación${columns.length === 0 ? '' : `: ${and(columns.map(quote))}`}.`,
  'repeated.marked': 'Otra fila tiene el mismo ID, así que no se eliminó ningún registro. Quite una de las filas.',
  'failed_rows.errors': 'Errores',
  'failed_rows.import_errors': 'Errores de importación',
  'failed_rows.left_out': ({ columns }) =>
    `A este archivo le ${columns.length === 1 ? 'falta la columna confidencial' : 'faltan las columnas confidenciales'} ${and(columns.map(quote))}. Los valores guardados se mantienen. Un registro nuevo no recibe ninguno, a menos que ${columns.length === 1 ? 'la' : 'las'} añada de nuevo.`,
  'pdf.page': ({ page, pages }) => `Página ${page} de ${pages}`,
  'pdf.rows': ({ rows }) => `Filas: ${rows}`,
  'pdf.filters': ({ filters }) => `Filtros: ${filters}`,
  'pdf.missing': ({ sign }) =>
    `${sign} sustituye un carácter que ninguna fuente de este archivo contiene. Los datos sí lo contienen.`,
  'pdf.utc': 'Horas en UTC',
  'pdf.yes': 'Sí',
  'pdf.no': 'No',
  'root.resources': 'Recursos',
  'root.records': ({ records }) => counted(records, 'registro', 'registros'),
  'root.no_resources': 'No hay ninguna lista para usted.',
  'root.anonymous': 'No ha iniciado sesión. Las listas que lo exigen no aparecen aquí.',
  'root.allowed': 'Aquí solo aparecen las listas que usted puede leer.',
  'root.json': 'En esta dirección, los programas reciben JSON:',
  'root.descriptions': 'Descripciones',
  'root.reference': 'Referencia',
  'root.document': 'Documento OpenAPI',
  'root.schema': 'Esquema',
}

const FOUND = {
  nothing: 'nada',
  null: 'null',
  array: 'una lista',
  object: 'un objeto',
  string: 'un texto',
  number: 'un número',
  boolean: 'un valor booleano',
} as const

function count(number: number): string {
  return number.toLocaleString('es-ES')
}

function counted(number: number, one: string, several: string): string {
  return `${count(number)} ${number === 1 ? one : several}`
}

function and(items: readonly string[]): string {
  return joined(items, 'y')
}

function or(items: readonly string[]): string {
  return joined(items, 'o')
}

function listed(items: readonly string[], more: number): string {
  return more > 0 ? `${items.join(', ')} y ${count(more)} más` : items.join(', ')
}

function rowsOf(failed: number, of: number): string {
  return `${count(failed)} de ${counted(of, 'fila', 'filas')}`
}

function haveErrors(failed: number, of: number): string {
  return `${rowsOf(failed, of)} ${failed === 1 ? 'tiene' : 'tienen'} errores`
}
