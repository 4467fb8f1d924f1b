import { joined, present } from './joined.ts'
import type { Translation } from './message.ts'

/** The catalogue in French: see `english.ts`. */
export const french: Translation = {
  // Fields of a request, and cells of a file.
  required: 'Ce champ est obligatoire.',
  'required.similar': ({ sent, meant }) =>
    `Ce champ est obligatoire. Vous avez envoyé « ${sent} » ; vouliez-vous dire « ${meant} » ?`,
  ignored: ({ sent, meant }) => `« ${sent} » a été ignoré ; vouliez-vous dire « ${meant} » ?`,
  'required.cell': 'Cette cellule est vide, alors qu’une valeur est obligatoire.',
  'required.column': ({ column }) => `La colonne « ${column} » est absente, et prepareRow ne fournit pas sa valeur.`,
  'required.append':
    'Ce champ est obligatoire : « true » ajoute des enregistrements, « false » remplace ceux qui existent.',
  null: 'Ce champ doit avoir une valeur : null n’est pas autorisé.',
  blank: 'Ce champ doit contenir un texte non vide.',
  empty: 'Cette liste est vide. Envoyez au moins un élément.',
  invalid: 'Cette valeur n’est pas valide.',
  'invalid.error_id': ({ id }) =>
    `Cette valeur n’est pas acceptée. Pour toute question, indiquez l’identifiant d’erreur ${id}.`,
  'invalid.row': ({ id }) =>
    `Cette ligne n’est pas acceptée. Pour toute question, indiquez l’identifiant d’erreur ${id}.`,
  'invalid.together': ({ fields }) => `Les valeurs de ces champs ne sont pas compatibles : ${fields}.`,
  'invalid.error_cell': ({ error }) => `La cellule contient l’erreur ${error}. Saisissez une valeur à la place.`,
  'invalid.error_cell_of': ({ column, error }) =>
    `La cellule de la colonne « ${column} » contient l’erreur ${error}. Saisissez une valeur à la place.`,
  text_behind_quote: 'Cette ligne a du texte après un guillemet fermant ("). Il a été lu comme la fin de la cellule.',
  guessed_encoding: ({ encoding }) =>
    `L’encodage du fichier a été deviné : ${encoding}. Vérifiez les lettres accentuées, enregistrez le fichier au format CSV UTF-8 ou indiquez son encodage.`,
  hidden_rows: ({ sheet, rows }) =>
    `La feuille « ${sheet} » masque ${rows === 1 ? '1 ligne' : `${count(rows)} lignes`}, peut-être par un filtre. Les lignes masquées sont lues comme les autres.`,
  hidden_columns: ({ sheet, columns }) =>
    `La feuille « ${sheet} » masque ${columns.length === 1 ? 'la colonne' : 'les colonnes'} ${columns.map(quote).join(', ')}. Les colonnes masquées sont lues comme les autres.`,
  lost_columns: ({ columns }) =>
    `Ce fichier n’a plus ${columns.length === 1 ? 'la colonne' : 'les colonnes'} ${and(columns.map(quote))}. Les valeurs enregistrées restent.`,
  merged_cells: ({ sheet, areas, cells }) =>
    `La feuille « ${sheet} » a des cellules fusionnées (${areas === 1 ? '1 zone' : `${count(areas)} zones`}). Seule la première cellule d’une zone a sa valeur : ${cells === 1 ? '1 autre est vide' : `${count(cells)} autres sont vides`}.`,
  number_format: ({ value }) => `La cellule affiche plus que son nombre. Seul le nombre a été lu : ${value}.`,
  'invalid.too_many_cells':
    'Cette ligne a plus de cellules que l’en-tête n’a de colonnes. Supprimez des cellules, ou mettez entre guillemets (") une cellule qui contient un séparateur.',
  'invalid.cell_beside_table':
    'Cette ligne a une cellule à droite de la dernière colonne avec un en-tête. Donnez un en-tête à la colonne, ou videz la cellule.',
  'invalid.item': ({ item, problem }) => `« ${item} » : ${problem}`,
  'invalid.entry': ({ place, path, problem }) => `Entrée ${place} : ${problem} (${path})`,
  invalid_text: ({ value }) => `${value} n’est pas un texte. Envoyez un texte entre guillemets.`,
  'invalid_text.characters': 'Ce texte contient des caractères endommagés. Saisissez-le à nouveau.',
  'invalid_text.nul': 'Ce texte contient des caractères NUL. Supprimez-les.',
  invalid_integer: ({ value }) => `${value} n’est pas un nombre entier. Écrivez-le ainsi : 42.`,
  'invalid_integer.quoted': ({ value }) => `${value} est entre guillemets. Envoyez le nombre sans guillemets.`,
  'invalid_integer.comma': ({ value }) =>
    `${value} contient une virgule. Écrivez le nombre entier sans séparateur, ainsi : 5000.`,
  invalid_number: ({ value }) => `${value} n’est pas un nombre. Écrivez-le ainsi : 90.5.`,
  'invalid_number.quoted': ({ value }) => `${value} est entre guillemets. Envoyez le nombre sans guillemets.`,
  'invalid_number.comma': ({ value }) =>
    `${value} contient une virgule. Écrivez le nombre avec un point et sans séparateur de milliers, ainsi : 1234.5. Ou indiquez la langue du fichier : locale=fr-FR.`,
  'invalid_number.cell': ({ value }) => `${value} n’est pas un nombre. Saisissez un nombre, par exemple 90,5.`,
  'invalid_number.text_cell': ({ value }) =>
    `${value} est un texte et non un nombre. Mettez la cellule au format Nombre et saisissez-le de nouveau.`,
  'invalid_number.form': ({ value, grouped, plain }) =>
    `${value} n’est pas un nombre. Écrivez-le ainsi : ${grouped} ou ${plain}.`,
  'invalid_number.digits': ({ value }) =>
    `Un classeur ne peut pas conserver tous les chiffres de ${value}. Mettez la cellule au format texte et saisissez de nouveau le nombre.`,
  invalid_boolean: ({ value }) => `${value} n’est ni true ni false. Envoyez true ou false, sans guillemets.`,
  'invalid_boolean.cell': ({ value }) => `${value} n’est ni true ni false. Écrivez true ou false, yes ou no, 1 ou 0.`,
  invalid_uuid: ({ value }) => `${value} n’est pas un UUID. Écrivez-le ainsi : 7b3f1c5e-4a52-4f0e-9d7b-3f9f0f6f2a11.`,
  invalid_slug: ({ value }) => `${value} fait partie d’autres adresses de l’API. Choisissez une autre valeur.`,
  'invalid_slug.reserved': ({ field, value }) =>
    `Ce texte donne à ${field} la valeur ${value}, qui fait partie d’autres adresses de l’API. Modifiez le texte.`,
  'invalid_slug.reserved_or_sent': ({ field, value }) =>
    `Ce texte donne à ${field} la valeur ${value}, qui fait partie d’autres adresses de l’API. Envoyez une autre valeur de ${field}, ou modifiez le texte.`,
  'invalid_slug.empty': ({ field }) => `Ce texte n’a ni lettre ni chiffre pour ${field}. Modifiez le texte.`,
  'invalid_slug.empty_or_sent': ({ field }) =>
    `Ce texte n’a ni lettre ni chiffre pour ${field}. Envoyez ${field}, ou modifiez le texte.`,
  invalid_choice: ({ value, choices }) =>
    `${value} ne fait pas partie des choix possibles. Choisissez l’une de ces valeurs : ${choices}.`,
  invalid_date: ({ value }) => `${value} n’est pas une date. Écrivez-la ainsi : 2026-01-15.`,
  'invalid_date.form': ({ value, local }) => `${value} n’est pas une date. Écrivez-la ainsi : ${local} ou 2026-12-31.`,
  'invalid_date.no_such_day': ({ day }) => `Le jour ${day} n’existe pas.`,
  invalid_datetime: ({ value }) => `${value} n’est pas une date avec heure. Écrivez-la ainsi : 2026-01-15T10:30:00Z.`,
  'invalid_datetime.form': ({ value, local }) =>
    `${value} n’est pas une date avec heure. Écrivez-la ainsi : ${local} ou 2026-12-31T14:30.`,
  invalid_time: ({ value }) => `${value} n’est pas une heure. Écrivez-la ainsi : 10:30.`,
  'invalid_time.zone': ({ value }) => `${value} n’est pas une heure. Écrivez-la ainsi : 10:30+01:00.`,
  invalid_address: ({ value }) => `${value} n’est pas une adresse IP. Écrivez-la ainsi : 192.0.2.1.`,
  invalid_mac: ({ value }) => `${value} n’est pas une adresse MAC. Écrivez-la ainsi : 08:00:2b:01:02:03.`,
  invalid_json: 'Ce n’est pas du JSON valide. Écrivez-le ainsi : {"a": 1} ou ["a", "b"].',
  invalid_base64: 'Ce n’est pas du base64 valide.',
  max_length: ({ max }) => `${counted(max, 'caractère', 'caractères')} au maximum.`,
  'max_length.bytes': ({ max }) => `${counted(max, 'octet', 'octets')} au maximum.`,
  'max_length.items': ({ max }) => `${counted(max, 'élément', 'éléments')} au maximum.`,
  'max_length.names': ({ max }) =>
    `Ce champ peut désigner au maximum ${counted(max, 'enregistrement', 'enregistrements')}.`,
  'max_length.rows': ({ rows, max }) =>
    `Vous envoyez ${counted(rows, 'ligne', 'lignes')} ; le maximum est de ${count(max)}.`,
  'max_length.form_field': 'Ce champ est trop long.',
  min_length: ({ min }) => `${counted(min, 'caractère', 'caractères')} au minimum.`,
  'min_length.items': ({ min }) => `La liste doit contenir au moins ${counted(min, 'élément', 'éléments')}.`,
  exact_length: ({ length }) => `Ce champ doit contenir exactement ${counted(length, 'caractère', 'caractères')}.`,
  multiple_of: ({ of }) => `La valeur doit être un multiple de ${of}.`,
  invalid_email: ({ value }) => `${value} n’est pas une adresse e-mail. Écrivez-la comme name@example.org.`,
  invalid_url: ({ value }) => `${value} n’est pas une adresse web. Écrivez-la comme https://example.org.`,
  invalid_format: ({ value }) => `${value} n’a pas la forme attendue dans ce champ.`,
  max_value: ({ max }) => `La valeur doit être inférieure ou égale à ${max}.`,
  'max_value.exclusive': ({ max }) => `La valeur doit être inférieure à ${max}.`,
  min_value: ({ min }) => `La valeur doit être supérieure ou égale à ${min}.`,
  'min_value.exclusive': ({ min }) => `La valeur doit être supérieure à ${min}.`,
  max_decimal_places: ({ max }) => `${counted(max, 'décimale', 'décimales')} au maximum.`,
  max_whole_digits: ({ max }) => `${counted(max, 'chiffre', 'chiffres')} au maximum avant le séparateur décimal.`,
  leading_zeros: ({ zeros }) =>
    zeros === 1 ? 'La première décimale doit être 0.' : `Les ${count(zeros)} premières décimales doivent être 0.`,
  not_an_object: ({ found }) => `Envoyez un objet JSON${found === 'nothing' ? '' : `, pas : ${FOUND[found]}`}.`,
  'not_an_object.here': 'Envoyez un objet JSON.',
  not_a_list: ({ found }) => `Envoyez une liste JSON${found === 'nothing' ? '' : `, pas : ${FOUND[found]}`}.`,
  'not_a_list.items': 'Envoyez une liste d’éléments.',
  'not_a_list.keys': 'Envoyez une liste d’identifiants.',
  'not_a_list.fields': 'Envoyez une liste de noms de champs.',
  'not_a_list.rows': 'Envoyez une liste de lignes.',
  'not_a_list.quote': ({ separator }) =>
    `Un guillemet est mal placé. Écrivez un élément qui contient un guillemet ou « ${separator} » ainsi : "a ""b"", c".`,
  'not_a_list.json': 'Ce n’est pas une liste. Écrivez-la ainsi : a, b ou ["a", "b"].',
  'not_a_list.cut':
    'Cette liste a été coupée, car elle est trop longue pour une cellule de classeur. Utilisez le format CSV.',
  'not_a_list.records': ({ example }) => `Ce n’est pas une liste en JSON. Écrivez-la comme ${example}.`,

  // Unique values and related records.
  unique: 'Un autre enregistrement a déjà cette valeur.',
  'unique.together': ({ fields }) => `Un autre enregistrement a déjà ces valeurs pour ${fields}.`,
  'unique.same': ({ fields }) => `Un autre enregistrement a les mêmes données pour ${fields}.`,
  'unique.exists': ({ fields }) => `Il existe déjà un enregistrement avec les mêmes données pour ${fields}.`,
  'unique.item': 'Un autre élément de cette requête a la même valeur.',
  'unique.items_together': ({ fields }) => `Un autre élément de cette requête a les mêmes valeurs de ${fields}.`,
  does_not_exist: ({ record, field, value }) =>
    `Il n’existe aucun enregistrement (${record}) avec la valeur « ${value} » pour ${field}.`,
  'does_not_exist.several': ({ records, field, values, more }) =>
    `Il n’existe aucun enregistrement (${records}) avec ces valeurs pour ${field} : ${listed(values, more)}.`,
  'does_not_exist.row': ({ fields }) => `Il n’existe aucun enregistrement avec les mêmes données pour ${fields}.`,
  'does_not_exist.referred': 'L’enregistrement indiqué ici n’existe pas.',
  'does_not_exist.user':
    'Votre compte n’est pas enregistré ici : aucun enregistrement ne peut donc être marqué comme créé ou modifié par vous.',
  'does_not_exist.gone': 'Cet enregistrement vient d’être supprimé.',
  ambiguous: ({ records, field, value }) =>
    `Plusieurs enregistrements (${records}) ont la valeur « ${value} » pour ${field}. Utilisez une valeur qu’un seul possède.`,
  'ambiguous.row': ({ fields }) =>
    `Plusieurs enregistrements ont les mêmes données pour ${fields}. Corrigez-les, afin qu’un seul les conserve.`,
  claimed_twice: ({ values }) => `Un autre élément contient aussi ${values}.`,
  'claimed_twice.record': 'Un autre élément porte sur le même enregistrement.',
  key_expected: ({ key }) => `Envoyez la valeur « ${key} » de l’enregistrement lié, et non un objet.`,
  'key_expected.value': ({ key, value }) => `Envoyez la valeur « ${key} » de l’enregistrement lié, et non ${value}.`,
  out_of_scope: 'Vous ne pourriez plus voir cet enregistrement ensuite ; il ne peut donc pas être sauvegardé ainsi.',
  'out_of_scope.related': 'Un nouvel enregistrement doit faire partie de ceux que ce champ peut désigner.',
  restricted:
    'D’autres enregistrements font référence à celui-ci. Supprimez-les d’abord, ou associez-les à un autre enregistrement.',
  'restricted.by': ({ resources }) =>
    `Des enregistrements de ${and(resources.map(quote))} font référence à celui-ci. Supprimez-les d’abord, ou associez-les à un autre enregistrement.`,
  'restricted.records': ({ resources, keys, more }) =>
    `Des enregistrements de ${and(resources.map(quote))} font référence ${keys.length + more === 1 ? 'à l’enregistrement' : 'aux enregistrements'} ${listed(keys, more)}. Supprimez-les d’abord, ou associez-les à d’autres enregistrements.`,
  'restricted.replace': ({ resources }) =>
    `Des enregistrements de ${and(resources.map(quote))} font référence à des enregistrements qui seraient supprimés ; rien n’a donc été remplacé. Supprimez-les d’abord, ou ajoutez les lignes sans remplacer.`,
  not_of_path: 'L’adresse désigne un autre enregistrement. Omettez ce champ.',
  max_stored: ({ max }) =>
    `Cette liste accepte au maximum ${counted(max, 'enregistrement', 'enregistrements')}, y compris ceux déjà enregistrés.`,
  truncated_list: 'Cette liste n’a été lue qu’en partie. Omettez-la : ses enregistrements restent inchangés.',
  must_belong: ({ values }) =>
    `Impossible à retirer, car l’appartenance à un enregistrement est obligatoire : ${values}.`,
  not_soft_deletable: 'Ces enregistrements ne peuvent pas être marqués comme supprimés. Utilisez bulk-delete.',
  repeated_header: 'Cette ligne répète l’en-tête.',
  example_row: 'Cette ligne est l’exemple du modèle : elle est ignorée. Supprimez-la.',
  'invalid.sensitive': 'Cette valeur n’est pas valide. Elle n’est pas affichée, car elle est sensible.',
  repeated_row: ({ field, numbers, more }) =>
    `Les lignes ${more > 0 ? listed(numbers, more) : and(numbers)} ont la même valeur pour ${field}. Gardez-en une.`,
  later_row: ({ row, field }) =>
    `La ligne ${row} a la même valeur pour ${field}, et d’autres valeurs. Gardez l’une des lignes.`,
  totals_row: ({ word, fields }) =>
    `Cette ligne ressemble à une ligne de totaux : elle contient « ${word} » et aucune valeur pour ${and(fields.map(quote))}. Supprimez la ligne, ou saisissez la valeur.`,
  'totals_row.skipped': ({ word, fields }) =>
    `Cette ligne ressemble à une ligne de totaux : elle contient « ${word} » et aucune valeur pour ${and(fields.map(quote))}.`,
  'totals_row.label': ({ word }) => `Cette ligne ressemble à une ligne de totaux : son seul texte est « ${word} ».`,
  'totals_row.stored': ({ word }) =>
    `Cette ligne ressemble à une ligne de totaux : son seul texte est « ${word} ». Supprimez la ligne si ce n’est pas un enregistrement.`,
  marked_and_edited: ({ columns }) =>
    `Cette ligne est marquée pour suppression, mais ${and(columns.map(quote))} ${columns.length === 1 ? 'a été modifié' : 'ont été modifiés'}. Annulez la modification, ou effacez la marque.`,
  marked_row: 'Cette ligne est marquée pour suppression, mais n’a pas d’ID. Rien n’a été créé ni supprimé.',
  read_only_column: 'Cette colonne est en lecture seule. Les changements y ont été ignorés.',
  not_stored: 'La base de données n’a pas enregistré cette ligne.',
  'not_stored.deleted': 'La base de données n’a pas supprimé cet enregistrement.',
  'not_stored.record': 'Un enregistrement n’a pas été sauvegardé.',
  'not_stored.related': 'Un enregistrement lié n’a pas été sauvegardé.',

  // The message of an answer.
  /** Several sentences, one after the other. */
  sentences: ({ texts }) => texts.join(' '),
  several_errors: ({ count: errors }) =>
    `La requête contient ${counted(errors, 'erreur', 'erreurs')}. La liste se trouve dans « errors ».`,
  conflict: 'La requête est en conflit avec des données enregistrées.',
  invalid_data: 'Les données envoyées ne sont pas valides.',
  not_found: 'Cet enregistrement n’existe pas, ou vous n’avez pas le droit de le voir.',
  'not_found.key': ({ field, value }) => `Il n’y a aucun enregistrement dont ${field} est ${value}.`,
  'not_found.address': 'Il n’y a rien à cette adresse.',
  'not_found.address_like': ({ method, address }) =>
    `Il n’y a rien à cette adresse. Vouliez-vous dire ${method} ${address} ?`,
  'not_found.action': ({ action }) => `Cette ressource n’a pas « ${action} ».`,
  'not_found.page_numbers': 'Page non valide. Les pages sont numérotées à partir de 1.',
  'not_found.last_page': ({ last }) => `Page non valide. La dernière page est ${last}.`,
  'not_found.page': 'Page non valide. La liste se termine avant.',
  'not_found.cursor': 'Position dans la liste (curseur) non valide. Recommencez à la première page.',
  'not_found.resource_of_job': 'La ressource de cette tâche n’existe plus.',
  'not_found.file_of_job': 'Cette tâche n’a produit aucun fichier.',
  'not_found.file_is_gone': 'Le fichier de cette tâche n’est plus disponible.',
  gone: ({ resource }) => `La ressource « ${resource} » n’existe plus.`,
  'gone.user': 'L’utilisateur qui a demandé cette tâche n’existe plus.',
  'gone.rows': 'Les lignes de cette tâche ne sont plus disponibles.',
  'gone.file': 'Le fichier de cette tâche n’est plus disponible.',
  method_not_allowed: ({ method, allowed, address }) =>
    `La méthode « ${method} » n’est pas autorisée ici.${allowed && ` Autorisé : ${allowed}.`}${address === undefined ? '' : ` Vouliez-vous dire ${address} ?`}`,
  not_authenticated: 'Aucune information d’authentification n’a été envoyée.',
  'not_authenticated.header': ({ headers }) =>
    `Aucune information d’authentification n’a été envoyée. Envoyez l’en-tête ${or(headers)}.`,
  'not_authenticated.scheme': ({ scheme, headers }) =>
    `Cette API ne connaît pas le schéma « ${scheme} » de l’en-tête Authorization. Envoyez l’en-tête ${or(headers)}.`,
  'not_authenticated.token': 'Le jeton n’est pas valide.',
  'not_authenticated.expired': 'Le jeton a expiré.',
  'not_authenticated.api_key': 'La clé d’API n’est pas valide.',
  'not_authenticated.background':
    'Seul un utilisateur connecté peut demander un travail en arrière-plan. Connectez-vous d’abord.',
  'not_authenticated.import_mapping':
    'Seul un utilisateur connecté peut enregistrer une correspondance. Connectez-vous d’abord.',
  not_movable:
    'Cet enregistrement appartient à un autre que vous ne pouvez pas modifier. Il ne peut donc pas être déplacé.',
  permission_denied: 'Vous n’avez pas l’autorisation d’effectuer cette action.',
  'permission_denied.hidden_columns':
    'Cette importation exige des colonnes que vous n’avez pas le droit de lire. Demandez à une personne qui peut les lire d’importer le fichier.',
  'permission_denied.hidden_fields':
    'Cette requête trouve les enregistrements par des champs que vous n’avez pas le droit de lire. Demandez à une personne qui peut les lire de l’envoyer.',
  'permission_denied.pages': 'Cette liste n’est disponible que page par page.',
  precondition_failed:
    'Quelqu’un d’autre a modifié cet enregistrement depuis que vous l’avez consulté. Rechargez-le, puis refaites votre modification.',
  'precondition_failed.row':
    'Cet enregistrement a été modifié depuis l’export de cette version. Exportez-le à nouveau, puis refaites votre modification.',
  'precondition_failed.missing_row':
    'L’enregistrement de cette version n’existe plus. Videz la cellule pour le créer à nouveau.',
  'precondition_failed.no_version':
    'Cette ressource n’a pas de versions : aucun enregistrement n’a l’étiquette de If-Match. Envoyez la requête sans cet en-tête.',
  'precondition_failed.unknown_tag': ({ value }) =>
    `Aucune version de cet enregistrement n’a l’ETag ${value}. Envoyez l’ETag de l’enregistrement tel que vous l’avez reçu.`,
  'precondition_failed.none_match': 'L’enregistrement est exclu par If-None-Match.',
  precondition_required:
    'Envoyez l’ETag de l’enregistrement dans l’en-tête If-Match, pour ne perdre aucune modification d’une autre personne.',
  'precondition_required.item':
    'Envoyez l’ETag de l’enregistrement dans « _etag », pour ne perdre aucune modification d’une autre personne.',
  invalid_etag: ({ value }) =>
    `${value} n’est pas un ETag. Envoyez l’ETag de l’enregistrement tel que vous l’avez reçu, par exemple "1769000000000".`,
  different_etags:
    'L’en-tête If-Match et « _etag » du corps désignent des versions différentes. N’envoyez que l’un des deux.',
  etag_of_child:
    'Ici, un enfant n’a pas d’ETag propre. La version de l’enregistrement qui le contient le protège : envoyez l’ETag de celui-ci.',
  misplaced_if_match:
    'If-Match s’applique à l’adresse d’un seul enregistrement. Pour plusieurs, donnez à chaque élément son ETag dans « _etag ».',
  invalid_idempotency_key: ({ value }) =>
    `${value} n’est pas une clé d’idempotence. Envoyez un texte de 1 à 255 caractères, par exemple un UUID.`,
  'invalid_idempotency_key.anonymous':
    'Seule une personne connectée peut envoyer une clé d’idempotence. Connectez-vous d’abord.',
  'invalid_idempotency_key.file':
    'Une réponse sous forme de fichier ne peut pas être renvoyée. Envoyez cette requête sans clé d’idempotence.',
  idempotency_key_reused:
    'Cette clé d’idempotence appartient à une autre requête. Envoyez une requête modifiée avec une nouvelle clé.',
  idempotency_key_in_use: 'Une requête avec cette clé d’idempotence est encore en cours. Renvoyez-la dans un instant.',
  answer_too_long:
    'La requête a été exécutée. Sa réponse était trop longue pour être conservée ; relisez les enregistrements.',
  answer_withheld: 'La requête a été exécutée. Sa réponse n’est pas montrée de nouveau, car vos droits ont changé.',
  'permission_denied.file':
    'Le fichier a été créé avec d’autres droits ou pour un autre locataire. Exportez-le de nouveau.',
  'not_found.before_history': ({ start }) => `L’historique de cet enregistrement commence le ${start}.`,
  'does_not_exist.entry': ({ entry }) => `L’historique de cet enregistrement n’a pas d’entrée ${entry}.`,
  'does_not_exist.state': ({ entry }) => `Après l’entrée ${entry}, il n’y avait pas d’enregistrement.`,
  not_revertible: 'Ce champ ne peut pas être rétabli. Modifiez-le par une mise à jour.',
  'past_state.names': 'L’historique a des champs qui n’existent plus : l’état de ce moment n’est pas connu.',
  'past_state.erased': 'Des entrées de cet historique ont été effacées : l’état de ce moment n’est pas connu.',
  'past_state.unrecorded':
    'Depuis, une écriture sans historique a supprimé cet enregistrement : l’état de ce moment n’est pas connu.',
  'past_state.other_type': 'La valeur de ce moment ne correspond pas au type actuel du champ.',
  'undone.changed': ({ user, at, fields }) => `${user ?? 'Une personne'} a modifié ${fields.join(', ')} le ${at}.`,
  'undone.deleted': ({ user, at }) => `${user ?? 'Une personne'} a supprimé l’enregistrement le ${at}.`,
  'undone.stored_again': ({ user, at }) =>
    `${user ?? 'Une personne'} a de nouveau créé un enregistrement avec cet identifiant le ${at}.`,
  'undone.by_job': ({ job, at, fields }) =>
    `La tâche ${job} a modifié ${fields.length > 0 ? fields.join(', ') : 'l’enregistrement'} le ${at}. Annulez d’abord cette tâche.`,
  'undone.losses': ({ resources }) =>
    `Les enregistrements de ${resources.join(', ')} que la base de données a supprimés avec lui ne reviennent pas.`,
  'undone.unrecorded': ({ fields }) =>
    `Une écriture sans historique a modifié ${fields.length > 0 ? fields.join(', ') : 'l’enregistrement'}.`,
  'undone.redacted': ({ fields }) => `L’ancienne valeur de ${fields.join(', ')} n’est pas conservée.`,
  'undone.dropped': ({ fields }) =>
    fields.length > 0 ? `${fields.join(', ')} n’existe plus.` : 'Un champ qui n’existe plus ne revient pas.',
  'undone.other_type': ({ fields }) => `L’ancienne valeur de ${fields.join(', ')} ne correspond pas au type actuel.`,
  'undone.required': ({ fields }) =>
    `L’enregistrement n’avait pas de valeur pour ${fields.join(', ')}, et il en faut une.`,
  'undone.referred': ({ resources }) => `Des enregistrements de ${resources.join(', ')} y font référence.`,
  'undone.some': ({ reversed, of }) =>
    `${reversed} enregistrements sur ${of} sont comme avant la tâche. Le fichier dit ce que sont devenus les autres.`,
  'undone.would_be_some': ({ reversed, of }) =>
    `${reversed} enregistrements sur ${of} seraient comme avant la tâche. Le fichier dit ce que deviendraient les autres.`,
  not_undoable: 'Les modifications de cette tâche ne sont pas enregistrées, elle ne peut donc pas être annulée.',
  'not_undoable.export': 'Un export n’a rien modifié.',
  'not_undoable.not_ended': ({ state }) =>
    `Cette tâche n’est pas encore terminée (${state}). Annulez-la quand elle le sera.`,
  'not_undoable.dry_run': 'Un essai n’a rien enregistré.',
  'not_undoable.nothing': 'Cette tâche n’a rien modifié.',
  'not_undoable.running': ({ job }) => `La tâche ${job} est en train de l’annuler.`,
  'not_undoable.done': ({ job }) => `La tâche ${job} l’a déjà annulée.`,
  too_many_requests: 'Le serveur a trop de tâches en cours. Réessayez plus tard.',
  'too_many_requests.jobs': ({ jobs }) =>
    jobs === 1
      ? 'Vous avez 1 tâche qui n’est pas terminée. Réessayez dès qu’elle le sera.'
      : `Vous avez ${counted(jobs, 'tâche', 'tâches')} qui ne sont pas terminées. Réessayez dès que l’une d’elles le sera.`,
  'too_many_requests.streams': ({ streams }) =>
    `Vous suivez déjà ${counted(streams, 'tâche', 'tâches')}. Fermez l’une des connexions, ou interrogez la tâche sans événements.`,
  service_unavailable: 'La base de données n’est pas disponible. Veuillez réessayer.',
  'service_unavailable.busy': 'La base de données est surchargée. Veuillez réessayer.',
  'service_unavailable.closing': 'Le serveur est en cours d’arrêt. Veuillez réessayer.',
  'service_unavailable.searches': 'D’autres longues recherches et listes sont en cours. Veuillez réessayer.',
  'service_unavailable.streams': 'D’autres longues listes et exportations sont en cours. Veuillez réessayer.',
  'service_unavailable.imports': 'D’autres importations sont en cours. Veuillez réessayer plus tard.',
  'service_unavailable.pdf': 'D’autres fichiers PDF sont en cours de création. Veuillez réessayer plus tard.',
  'service_unavailable.files':
    'Le serveur ne peut pas accéder à ses fichiers pour le moment. Veuillez réessayer plus tard.',
  'service_unavailable.disk':
    'Le serveur ne peut pas enregistrer de fichiers pour le moment. Veuillez réessayer plus tard.',
  'service_unavailable.keys':
    'Le serveur ne parvient pas à obtenir les clés qui lui servent à vérifier les jetons. Veuillez réessayer.',
  'service_unavailable.unknown_outcome':
    'La connexion à la base de données a été perdue pendant l’enregistrement de votre modification. Consultez l’enregistrement pour savoir si elle a été prise en compte.',
  internal_error: ({ id }) =>
    `Une erreur s’est produite de notre côté. Pour toute question, indiquez l’identifiant d’erreur ${id}.`,

  // The request itself.
  malformed: 'La requête est mal formée.',
  'malformed.http': 'La requête n’est pas du HTTP valide.',
  'malformed.url': 'L’URL est mal formée.',
  'malformed.percent':
    'L’URL est mal formée : un % doit être suivi de deux chiffres hexadécimaux qui donnent de l’UTF-8 valide.',
  'malformed.nul_in_url': 'L’URL contient des caractères NUL (%00). Supprimez-les.',
  'malformed.host': 'L’en-tête Host est mal formé.',
  'malformed.hosts': 'Envoyez un seul en-tête Host.',
  'malformed.protocol': 'L’en-tête X-Forwarded-Proto est mal formé.',
  'malformed.empty': 'Le corps de la requête est vide.',
  'malformed.json': 'Le corps de la requête n’est pas du JSON valide.',
  'malformed.json_at': ({ place, expected, found }) =>
    `Le corps de la requête n’est pas du JSON valide (${place}). Attendu : ${expected}${found === undefined ? ', mais le corps s’arrête là' : ` ; trouvé : ${found}`}.`,
  'malformed.place': ({ line, column }) => `ligne ${line}, colonne ${column}`,
  'json.end': 'la fin du corps',
  'json.value': 'une valeur',
  'json.comma_or_bracket': '"," ou "]"',
  'json.comma_or_brace': '"," ou "}"',
  'json.key': 'une clé entre guillemets doubles',
  'json.key_or_no_comma': 'une clé après la virgule, ou pas de virgule',
  'json.colon': '":"',
  'json.escape': 'une séquence d’échappement de JSON, comme \\n',
  'json.escaped_control': 'des caractères de contrôle échappés',
  'json.closing_quote': 'un guillemet fermant',
  'size.megabytes': ({ size }) => `${size} Mo`,
  'size.bytes': ({ size }) => `${count(size)} octets`,
  'malformed.utf8': ({ place }) =>
    `Le corps de la requête n’est pas de l’UTF-8 valide (${place}). Envoyez-le en UTF-8.`,
  'malformed.too_deep': ({ levels, place }) =>
    `Le corps de la requête dépasse ${counted(levels, 'niveau', 'niveaux')} d’imbrication (${place}).`,
  'malformed.number': ({ number }) => `${number} n’est pas un nombre en JSON.`,
  'malformed.repeated_key': 'Cette clé est indiquée plusieurs fois.',
  'malformed.key': ({ key, problem }) => `La clé ${key} n’est pas valide. ${problem}`,
  'malformed.forbidden_key': ({ key }) => `La clé ${key} n’est pas autorisée ici.`,
  'malformed.nul': 'Les caractères NUL ne sont pas autorisés.',
  'malformed.surrogate': ({ character }) =>
    `Les caractères d’indirection (surrogates) isolés ne sont pas autorisés : ${character}.`,
  'malformed.inexact_integer':
    'Ce nombre entier est trop grand pour rester exact sous forme de nombre. Envoyez-le entre guillemets.',
  'malformed.huge_number': 'Ce nombre est trop grand.',
  'malformed.inexact_number': ({ value }) =>
    `Ce nombre ne peut pas être conservé exactement : il deviendrait ${value}. Envoyez-le entre guillemets.`,
  'malformed.cut_off': 'Le corps de la requête est arrivé incomplet.',
  'malformed.multipart': 'Le corps de la requête n’est pas du multipart/form-data valide.',
  'malformed.boundary': 'L’en-tête Content-Type n’indique pas de boundary.',
  'malformed.upload_cut_off': 'Le fichier n’a pas été envoyé en entier.',
  'malformed.closed': 'Le client a fermé la connexion.',
  unsupported_media_type: 'Envoyez le corps de la requête en application/json.',
  'unsupported_media_type.utf8': 'Envoyez le corps de la requête en application/json, en UTF-8.',
  'unsupported_media_type.encoding': 'Envoyez le corps de la requête tel quel, sans Content-Encoding.',
  'unsupported_media_type.multipart': 'Envoyez le fichier en multipart/form-data.',
  payload_too_large: ({ limit }) =>
    `Le corps de la requête est trop volumineux.${limit === undefined ? '' : ` La limite est de ${limit}.`}`,
  'payload_too_large.file': ({ limit }) => `Le fichier dépasse ${limit}.`,
  request_timeout: 'La requête a mis trop de temps à arriver.',
  'request_timeout.stopped': 'L’envoi du fichier s’est arrêté.',
  'request_timeout.upload': 'L’envoi du fichier a pris trop de temps.',
  headers_too_large: 'L’URL et les en-têtes sont trop volumineux.',
  expectation_failed: 'Seul « Expect: 100-continue » est accepté.',

  // Query parameters.
  repeated: 'Indiquez ce paramètre une seule fois.',
  unknown_parameter: ({ name, hint }) => `Paramètre inconnu « ${name} ». ${hint}`,
  'hint.did_you_mean': ({ name }) => `Vouliez-vous dire « ${name} » ?`,
  'hint.known': ({ names, more }) => `Paramètres connus : ${listed(names, more)}.`,
  'hint.none': 'Cette action n’accepte aucun paramètre.',
  'hint.body': 'Envoyez-le dans le corps de la requête, et non dans l’adresse.',
  'hint.paging': ({ names }) => `Pour parcourir les pages de cette liste, utilisez ${and(names)}.`,
  'hint.lookups': ({ field, names, more }) => `Filtres possibles pour « ${field} » : ${listed(names, more)}.`,
  invalid_expression: ({ at }) =>
    `Cette expression est illisible à partir du caractère ${at}. Écrivez les conditions entre parenthèses, séparées par des virgules, comme (rating__gte=4,and(kind=new,name="a, b")).`,
  'invalid_expression.depth': ({ max }) => `Les conditions tiennent dans ${max} niveaux de parenthèses au plus.`,
  'invalid_expression.size': ({ max }) => `Une expression a au plus ${max} conditions.`,
  too_many_tables: ({ max }) =>
    `Cette requête interroge trop d’enregistrements liés à la fois : ${max} tables au plus. Envoyez moins de filtres.`,
  invalid_parameter: ({ expected }) => `Indiquez ${expected}.`,
  'expected.text': 'un texte',
  'expected.whole': ({ min, max }) => `un nombre entier de ${min} à ${max}`,
  'expected.whole_number': 'un nombre entier, par exemple 42',
  'expected.number': 'un nombre, par exemple 12.5',
  'expected.boolean': 'true ou false',
  'expected.row': 'le numéro d’une ligne ou, pour un classeur, les numéros par feuille : {"Prices": 4}',
  'expected.date': 'une date, par exemple 2026-01-15',
  'expected.datetime': 'une date, avec ou sans heure, par exemple 2026-01-15T10:30:00Z',
  'expected.time': 'une heure, par exemple 10:30',
  'expected.uuid': 'un UUID valide',
  'expected.key': ({ key, value }) => `la valeur « ${key} » de l’enregistrement lié : ${value}`,
  'expected.choice': ({ choices }) => `l’une de ces valeurs : ${choices}`,
  'expected.list': ({ each }) => `des valeurs séparées par des virgules (chacune : ${each})`,
  'expected.pair': ({ each }) => `deux valeurs séparées par une virgule (chacune : ${each})`,
  'expected.year': 'une année à quatre chiffres, par exemple 2026',
  'expected.state': 'active, deleted ou all',
  'expected.page': 'un nombre entier supérieur à 0',
  'expected.offset': 'un nombre entier supérieur ou égal à 0',
  unknown_ordering: ({ name, known }) => `Impossible de trier par « ${name} ». Champs connus : ${known}.`,
  'unknown_ordering.direction': ({ name, meant }) =>
    `Impossible de trier par « ${name} ». Vouliez-vous dire « ${meant} » ?`,
  'unknown_ordering.too_many': ({ max, known }) =>
    `Vous pouvez trier par ${counted(max, 'champ', 'champs')} au maximum. Champs connus : ${known}.`,
  search_too_long: ({ max }) => `La recherche est limitée à ${counted(max, 'caractère', 'caractères')}.`,
  'search_too_long.words': ({ max }) => `La recherche est limitée à ${counted(max, 'mot', 'mots')}.`,

  // Uploads, and the options of an import.
  no_file: 'Aucun fichier n’a été envoyé. Envoyez-le dans le champ de formulaire « file ».',
  'no_file.empty': 'Le fichier envoyé est vide. Choisissez-en un autre.',
  'no_file.name': 'Aucun fichier n’a été envoyé : le champ de formulaire n’a pas de nom de fichier.',
  'repeated.file': 'Envoyez un seul fichier à la fois.',
  'repeated.field': 'Indiquez ce champ une seule fois.',
  'repeated.differently': 'Le formulaire et l’adresse se contredisent sur ce point ; ne l’indiquez qu’une seule fois.',
  too_many_parts: ({ max }) => `Envoyez un fichier et ${counted(max, 'champ', 'champs')} au maximum.`,
  misplaced: 'Envoyez ce champ dans le formulaire, et non dans l’adresse.',
  dry_run_only: 'Seule une simulation indique ce qui changerait : envoyez aussi dry_run=true.',
  invalid_mapping:
    'Envoyez un objet JSON qui donne, pour chaque titre de colonne, le champ, ou null pour ignorer la colonne : {"Airport code": "iata"}.',
  invalid_values:
    'Envoyez un objet JSON qui donne, pour chaque titre de colonne, d’autres valeurs pour ses textes, ou null pour aucune : {"Country": {"Norge": "NO"}}.',
  'invalid_values.sensitive': ({ column }) =>
    `« ${column} » est sensible : ses cellules ne peuvent pas être modifiées ici.`,
  invalid_headers:
    'Envoyez les en-têtes du fichier comme une liste de textes, ou un objet JSON avec une telle liste par feuille.',
  too_many_import_mappings: ({ max }) =>
    `Il y a déjà ${count(max)} correspondances enregistrées, le maximum permis. Supprimez-en d’abord une.`,
  no_background: 'Cette API n’exécute rien en arrière-plan.',
  'no_background.too_large': 'Ces options sont trop volumineuses pour une tâche en arrière-plan.',
  own_rows_only: 'Cette ressource n’exporte que ses propres lignes.',
  invalid_delimiter: ({ value }) => `${value} n’est pas un séparateur. Choisissez parmi : "," ";" "\\t".`,
  invalid_encoding: ({ encoding, example }) =>
    `« ${encoding} » n’est pas un encodage. Écrivez-le comme « ${example} ».`,
  invalid_locale: ({ locale, example }) =>
    `« ${locale} » n’est pas un code de langue. Écrivez-le comme « ${example} ».`,
  'invalid_locale.unknown': ({ locale }) => `La langue « ${locale} » est inconnue.`,
  'invalid_locale.calendar': ({ locale, calendar, gregorian }) =>
    `« ${locale} » a le calendrier « ${calendar} », impossible dans un fichier. Écrivez « ${gregorian} ».`,
  unknown_setting: ({ names, known }) =>
    `${names.length === 1 ? 'Réglage inconnu' : 'Réglages inconnus'} : ${names.map(quote).join(', ')}. Réglages connus : ${known}.`,
  unknown_field: ({ names, more, known }) =>
    `${names.length + more === 1 ? 'Champ inconnu' : 'Champs inconnus'} : ${listed(names.map(quote), more)}. Champs connus : ${known}.`,
  'unknown_field.shown': ({ name, hint }) => `Il n’y a pas de champ « ${name} ». ${hint}`,
  missing_package: ({ format, packages, choices }) =>
    `Pour « ${format} », il manque des paquets sur ce serveur : ${packages}. Choisissez l’un de ces formats : ${choices}.`,

  // Files that cannot be read or written.
  unreadable: 'Le fichier est vide.',
  'unreadable.xls': 'Le classeur est endommagé. Ouvrez-le dans un tableur et enregistrez-le au format XLSX.',
  'unreadable.xlsx': 'Le classeur est endommagé. Ouvrez-le dans un tableur et enregistrez-le à nouveau.',
  'unreadable.doctype':
    'Le classeur contient une déclaration de type de document (DOCTYPE), interdite dans les classeurs.',
  'unreadable.entity': 'Le classeur utilise une entité XML interdite dans les classeurs.',
  'unreadable.nul':
    'Le fichier contient des caractères NUL : il est endommagé ou n’est pas un fichier texte. Enregistrez-le à nouveau au format CSV UTF-8.',
  'unreadable.open_quote': ({ row }) =>
    `La ligne ${row} contient un guillemet (") qui n’est jamais refermé. Fermez-le ou supprimez-le.`,
  'unreadable.quote': ({ row }) =>
    `La ligne ${row} contient du texte après une cellule entre guillemets (") : doublez les guillemets à l’intérieur de la cellule.`,
  'unreadable.bytes': ({ row, encoding }) =>
    `La ligne ${row} contient des octets qui ne forment pas de texte dans l’encodage ${encoding}. Enregistrez le fichier au format CSV UTF-8 ou indiquez son encodage.`,
  'unreadable.encoding':
    'Le fichier n’est ni en UTF-8 ni en Windows-1252. Enregistrez-le au format CSV UTF-8 ou indiquez son encodage, par exemple encoding=windows-1251.',
  encrypted: 'Le classeur est protégé par un mot de passe : enregistrez-le sans mot de passe.',
  wrong_format: ({ found, formats }) => `Le fichier semble être ${found}. Envoyez un fichier au format ${or(formats)}.`,
  'wrong_format.unknown': ({ formats }) =>
    `Le fichier n’est ni un fichier texte ni un classeur. Envoyez un fichier au format ${or(formats)}.`,
  'wrong_format.spreadsheet': ({ found, format }) =>
    `Le fichier semble être ${found}. Ouvrez-le dans un tableur, enregistrez-le au format ${format} (Enregistrer sous, .${format.toLowerCase()}) et envoyez le nouveau fichier.`,
  'content.csv': 'un fichier CSV',
  'content.xls': 'un fichier XLS',
  'content.xlsx': 'un fichier XLSX',
  'content.pdf': 'un document PDF',
  'content.png': 'une image PNG',
  'content.jpeg': 'une image JPEG',
  'content.gif': 'une image GIF',
  'content.archive': ({ type }) => `une archive ${type}`,
  'content.rtf': 'un document RTF',
  'content.sqlite': 'une base de données SQLite',
  'content.parquet': 'un fichier Parquet',
  'content.program': 'un programme',
  'content.xml': 'un document XML',
  'content.html': 'une page web (HTML)',
  'content.json': 'un fichier JSON',
  'content.word': 'un document Word',
  'content.presentation': 'une présentation',
  'content.xlsb': 'un classeur binaire (XLSB)',
  'content.ods': 'une feuille de calcul OpenDocument (ODS)',
  too_large: ({ limit }) => `Le fichier dépasse ${limit}.`,
  'too_large.rows': ({ max }) => `Il y a plus de ${counted(max, 'ligne', 'lignes')}.`,
  'too_large.sheet_rows': ({ max }) => `Une feuille a plus de ${counted(max, 'ligne', 'lignes')}.`,
  'too_large.row_columns': ({ row, max }) => `La ligne ${row} a plus de ${counted(max, 'colonne', 'colonnes')}.`,
  'too_large.cell': ({ row, max }) =>
    `La ligne ${row} contient une cellule de plus de ${counted(max, 'caractère', 'caractères')}.`,
  'too_large.row': ({ row, max }) => `La ligne ${row} a plus de ${counted(max, 'caractère', 'caractères')}.`,
  'too_large.all': ({ row, max }) =>
    `À partir de la ligne ${row}, le texte dépasse ${counted(max, 'caractère', 'caractères')} au total.`,
  'too_large.sheets': ({ max }) => `Le classeur a plus de ${counted(max, 'feuille', 'feuilles')}.`,
  'too_large.columns': ({ max }) => `Une feuille peut contenir au maximum ${counted(max, 'colonne', 'colonnes')}.`,
  'too_large.record': ({ row, bytes }) =>
    `La ligne ${row} dépasse ${counted(bytes, 'octet', 'octets')} : un guillemet (") n’est peut-être pas refermé.`,
  'too_large.text': ({ max }) => `Le classeur contient un texte de plus de ${counted(max, 'caractère', 'caractères')}.`,
  'too_large.long_text': 'Le classeur contient un texte trop long.',
  'too_large.unpacked': ({ bytes }) => `Décompressé, le classeur occuperait ${counted(bytes, 'octet', 'octets')}.`,
  'too_large.parts': ({ max }) => `Le classeur se compose de plus de ${counted(max, 'partie', 'parties')}.`,
  'too_large.zip': 'Un classeur ne peut pas dépasser 4 Gio.',
  'too_large.memory':
    'Le classeur demande trop de mémoire ; divisez-le en classeurs plus petits ou enregistrez-le au format CSV.',
  'too_large.pdf_memory': 'Le PDF demande trop de mémoire ; exportez moins de lignes.',
  'too_large.pdf_columns': ({ max }) => `Un PDF a au plus ${max} colonnes.`,
  'too_large.pdf_characters': ({ max }) =>
    `Un PDF a au plus ${counted(max, 'caractère différent', 'caractères différents')} ; exportez moins de lignes, ou un fichier CSV ou XLSX.`,
  out_of_time:
    'La lecture du classeur est trop longue ; divisez-le en classeurs plus petits ou enregistrez-le au format CSV.',
  'out_of_time.pdf': 'La création du PDF a pris trop de temps ; exportez moins de lignes.',
  too_many_rows: ({ format, max, rows }) =>
    `Un fichier ${format} contient au maximum ${counted(max, 'ligne', 'lignes')} ; il y en a ${count(rows)}. Filtrez-les.`,
  'too_many_rows.pdf': ({ max, rows }) =>
    `Un fichier pdf contient au maximum ${counted(max, 'ligne', 'lignes')} ; il y en a ${count(rows)}. Filtrez-les, ou choisissez csv ou xlsx.`,
  text_cut: ({ cells }) =>
    cells === 1
      ? `1 cellule dépassait ${count(32_767)} caractères et a été tronquée.`
      : `${count(cells)} cellules dépassaient ${count(32_767)} caractères et ont été tronquées.`,
  missing_glyphs: ({ count: missing, characters }) =>
    missing === 1
      ? `Aucune police ne contient ce caractère : ${characters}`
      : `Aucune police ne contient ces ${count(missing)} caractères : ${characters}`,

  // Columns and sheets of an import.
  missing_column: ({ column, others }) =>
    `La colonne « ${column} » est absente${others.length === 0 ? '' : ` ; elle peut aussi s’appeler ${or(others.map(quote))}`}.`,
  repeated_column: ({ count: times, column }) => `Le fichier a ${count(times)} colonnes « ${column} ». Gardez-en une.`,
  'missing_column.none': 'Le fichier n’a aucune colonne.',
  'missing_column.other_row':
    'Si les noms des colonnes sont dans une autre ligne, envoyez son numéro dans "header_row".',
  'missing_column.found': ({ columns, more, row }) =>
    `${columns.length + more === 1 ? 'Colonne' : 'Colonnes'} de l’en-tête (${row === undefined ? 'la première ligne' : `ligne ${row}`}) : ${listed(columns.map(quote), more)}.`,
  invalid_header_row: ({ row, sheet }) =>
    `La ligne ${row} ne peut pas être l’en-tête${sheet === '' ? '' : ` de la feuille « ${sheet} »`} : elle est vide ou n’est pas parmi les 30 premières lignes remplies.`,
  'invalid_header_row.csv_sheet': ({ sheet }) =>
    `Le fichier n’a pas de feuille « ${sheet} », car c’est du CSV ; envoyez seulement le numéro.`,
  'invalid_header_row.unknown_sheet': ({ sheet, hint }) => `Le fichier n’a pas de feuille « ${sheet} ». ${hint}`,
  'invalid_header_row.unread_sheet': ({ sheet, hint }) => `La feuille « ${sheet} » n’est pas importée. ${hint}`,
  missing_sheet: ({ sheet }) => `Le classeur n’a pas de feuille « ${sheet} ».`,
  'missing_sheet.found': ({ sheets, more }) =>
    `Feuilles du classeur : ${sheets.map(quote).join(', ')}${more ? ', ...' : '.'}`,
  'missing_sheet.rename': ({ sheet }) =>
    `Nommez « ${sheet} » la feuille qui contient les lignes, ou gardez une seule feuille.`,
  'missing_sheet.needed': ({ sheets }) =>
    `Mettez toutes les colonnes dans une seule feuille, ou nommez les feuilles ${and(sheets.map(quote))}.`,
  template_is_at: ({ problem, address }) => `${problem} Le modèle se trouve à l’adresse ${address}`,
  'invalid_mapping.file': 'La correspondance ne convient pas au fichier.',
  'invalid_mapping.column': ({ column, hint }) => `Le fichier n’a pas de colonne « ${column} ». ${hint}`,
  'invalid_mapping.repeated': ({ column }) => `« ${column} » est indiqué deux fois.`,
  'invalid_mapping.several': ({ count: times, column, first }) =>
    `Le fichier a ${count(times)} colonnes « ${column} » ; écrivez « ${first} » pour la première.`,
  'invalid_mapping.both': ({ one, other, field }) =>
    `« ${one} » et « ${other} » ne peuvent pas correspondre toutes deux au champ « ${field} ».`,
  'invalid_mapping.field': ({ column, field, hint }) => `« ${column} » : « ${field} » n’est pas importé. ${hint}`,
  'invalid_mapping.ambiguous': ({ column, fields }) =>
    `« ${column} » : de quel champ s’agit-il ? Écrivez ${or(fields.map(quote))}.`,
  'invalid_mapping.sheet': ({ sheet, hint }) => `Le fichier n’a pas de feuille « ${sheet} ». ${hint}`,
  'invalid_mapping.csv_sheet': ({ sheet }) =>
    `Le fichier n’a pas de feuille « ${sheet} », car il est au format CSV ; indiquez ses colonnes sans feuille : {"Airport code": "iata"}.`,
  'invalid_mapping.unread_sheet': ({ sheet, hint }) => `La feuille « ${sheet} » n’est pas importée. ${hint}`,
  'invalid_mapping.by_sheet': ({ sheet }) =>
    `Plusieurs feuilles sont importées : indiquez les colonnes par feuille, {« ${sheet} »: {...}}.`,
  'hint.names': ({ names }) => `Noms connus : ${names.map(quote).join(', ')}.`,
  nothing_to_replace: 'Le fichier ne contient aucune ligne ; rien n’a donc été remplacé.',
  'nothing_to_replace.skipped':
    'Toutes les lignes qui auraient remplacé des données ont été ignorées ; rien n’a donc été remplacé.',

  // The outcome of a restore, of an import and of a job.
  restored: 'L’enregistrement a été restauré.',
  'restored.active': 'L’enregistrement n’était pas supprimé ; il n’a pas changé.',
  'imported.no_rows': 'Le fichier n’a aucune ligne sous son en-tête ; rien n’a donc été importé.',
  'imported.would_fail': ({ failed, of }) =>
    `${rowsOf(failed, of)} ${failed < 2 ? 'serait' : 'seraient'} en erreur. C’était une simulation : rien n’a été enregistré.`,
  'imported.not_replaced': ({ failed, of }) =>
    `${areWrong(failed, of)} ; rien n’a donc été remplacé : tout est resté comme avant.`,
  'imported.all_failed': ({ failed, of }) => `${areWrong(failed, of)} ; rien n’a été enregistré.`,
  'imported.rolled_back': ({ failed, of }) =>
    `${areWrong(failed, of)} ; rien n’a donc été enregistré : tout est resté comme avant.`,
  'imported.some_failed': ({ failed, of, stored }) =>
    `${areWrong(failed, of)} ; ${stored === 1 ? 'l’autre a été enregistrée' : `les ${count(stored)} autres ont été enregistrées`}.`,
  'imported.mixed': ({ failed, of, stored, deleted, unchanged, skipped }) =>
    `${areWrong(failed, of)} ; pour les autres : ${present([
      [stored, counted(stored, 'enregistrée', 'enregistrées')],
      [deleted, counted(deleted, 'supprimée', 'supprimées')],
      [unchanged, counted(unchanged, 'inchangée', 'inchangées')],
      [skipped, counted(skipped, 'ignorée', 'ignorées')],
    ])}.`,
  'imported.file_has_all': ({ message }) =>
    `${message} Le fichier contient toutes les lignes : corrigez-le et envoyez-le à nouveau.`,
  'imported.before': ({ problem, rows, created, updated, deleted }) =>
    `${problem} Auparavant, ${rows === 1 ? 'la première ligne a été importée' : `les ${count(rows)} premières lignes ont été importées`} (${counted(created, 'créée', 'créées')}, ${counted(updated, 'mise à jour', 'mises à jour')}${deleted > 0 ? `, ${counted(deleted, 'supprimée', 'supprimées')}` : ''}).`,
  'imported.ended_early': ({ problem }) => `${problem} Vous pouvez importer à nouveau le même fichier.`,
  'job.cancelled': 'Annulée.',
  imported_before: ({ day, job }) => `Ce fichier a déjà été importé le ${day}, par la tâche ${job}.`,
  job_has_ended: 'Cette tâche est déjà terminée.',
  job_not_ended: ({ state }) =>
    `Cette tâche n’est pas encore terminée (${state}) ; demandez son fichier quand elle le sera.`,
  'job.crashed': ({ times }) => `Le serveur s’est arrêté ${count(times)} fois pendant cette tâche, sans avancer.`,
  'job.nothing_stored': ({ reason }) => `${reason} Rien n’a été enregistré.`,

  // Templates, files of failed rows, and PDF.
  'template.required': 'Obligatoire.',
  'template.optional': 'Facultatif.',
  'template.takes_blank': 'Facultatif : une cellule vide est un texte vide.',
  'template.text': 'Texte.',
  'template.text_of': ({ max }) => `Texte de ${counted(max, 'caractère', 'caractères')} au maximum.`,
  'template.choice': ({ choices }) => `L’une de ces valeurs : ${choices}.`,
  'template.whole': 'Un nombre entier.',
  'template.number': 'Un nombre.',
  'template.decimal': ({ digits }) => `Un nombre avec ${counted(digits, 'décimale', 'décimales')} au maximum.`,
  'template.boolean': 'true ou false.',
  'template.date': 'Une date : AAAA-MM-JJ.',
  'template.datetime': 'Une date avec heure, par exemple 2026-01-15T10:30:00Z.',
  'template.time': 'Une heure, par exemple 10:30.',
  'template.uuid': 'Un UUID.',
  'template.json': 'JSON.',
  'template.list': 'Une liste, par exemple a, b. Un élément avec une virgule est entre guillemets : "a, b".',
  'template.bytes': 'Des octets en base64.',
  'template.bytes_of': ({ max }) => `${counted(max, 'octet', 'octets')} au maximum, en base64.`,
  'template.number_form': ({ grouped, plain }) => `Écrivez un nombre ainsi : ${grouped} ou ${plain}.`,
  'template.date_form': ({ local }) => `Écrivez une date ainsi : ${local} ou 2026-12-31.`,
  'template.datetime_form': ({ local }) => `Écrivez une date avec heure ainsi : ${local} ou 2026-12-31T14:30.`,
  'template.boolean_form': ({ yes, no }) => `Ou ${yes} et ${no}.`,
  'template.value': ({ field, record, example }) =>
    `La valeur de ${field} d’un enregistrement (${record})${example === undefined ? '' : `, par exemple ${example}`}.`,
  'template.stored': 'Cet enregistrement doit déjà exister.',
  'template.stored_or_above': 'Cet enregistrement doit déjà exister ou figurer sur une ligne plus haut.',
  'template.of_sheet': ({ sheet }) => `Cet enregistrement doit figurer sur la feuille « ${sheet} » ou déjà exister.`,
  'template.several': ({ separator }) =>
    `Séparez plusieurs valeurs par « ${separator} » ; l’enregistrement sera lié à celles-ci et à aucune autre.`,
  'template.records':
    'Une liste en JSON, avec un objet pour chaque entrée. Une cellule vide laisse une liste enregistrée telle quelle.',
  'template.deletes': ({ words }) =>
    `Une ligne avec ${or(words.map(quote))} supprime son enregistrement. Parmi ses autres cellules, seules comptent celles qui permettent de le trouver.`,
  'template.update_create': ({ fields }) =>
    `Une ligne met à jour l’enregistrement qui a les mêmes données pour ${fields} ; s’il n’y en a pas, elle en crée un.`,
  'template.update_skip': ({ fields }) =>
    `Une ligne met à jour l’enregistrement qui a les mêmes données pour ${fields} ; s’il n’y en a pas, elle est ignorée.`,
  'template.update_fail': ({ fields }) =>
    `Une ligne met à jour l’enregistrement qui a les mêmes données pour ${fields} ; il doit déjà exister.`,
  'template.skip_create': ({ fields }) =>
    `Si un enregistrement a déjà les mêmes données pour ${fields}, il reste inchangé ; sinon, la ligne en crée un.`,
  'template.skip_skip': ({ fields }) =>
    `Si un enregistrement a déjà les mêmes données pour ${fields}, il reste inchangé ; sinon, la ligne est ignorée.`,
  'template.skip_fail': ({ fields }) =>
    `L’enregistrement qui a les mêmes données pour ${fields} reste inchangé ; il doit déjà exister.`,
  'template.fail_create': ({ fields }) =>
    `Aucun enregistrement ne doit déjà avoir les mêmes données pour ${fields} ; la ligne en crée un.`,
  'template.fail_skip': ({ fields }) =>
    `Aucun enregistrement ne doit déjà avoir les mêmes données pour ${fields} ; s’il n’y en a pas, la ligne est ignorée.`,
  'template.fail_fail': ({ fields }) =>
    `Une ligne qui a les mêmes données qu’un enregistrement pour ${fields} ne peut que le supprimer ; les autres lignes sont en erreur.`,
  'template.example_row':
    'Cette ligne est un exemple. Remplacez-la ou supprimez-la : inchangée, elle est ignorée à l’importation.',
  'template.guide': 'Comment remplir',
  'template.guide_sheet': 'Feuille',
  'template.guide_column': 'Colonne',
  'template.guide_rule': 'Valeurs attendues',
  'template.guide_example': 'Exemple',
  'template.guide_choices': 'Valeurs possibles',
  'template.more_choices': ({ choices, more }) => `${choices} et ${count(more)} autres`,
  'template.edit_id': 'ID (ne pas modifier)',
  'template.edit_id_note': 'Il identifie l’enregistrement de la ligne. Laissez-le vide pour un nouvel enregistrement.',
  'template.edit_mark': 'Supprimer ?',
  'template.edit_mark_other': 'Supprimer cet enregistrement ?',
  'template.edit_mark_note': ({ yes }) =>
    `Choisissez « ${yes} » pour supprimer l’enregistrement de cette ligne. Si la ligne contient d’autres changements, elle échoue.`,
  'template.edit_guide': 'Comment modifier ceci',
  'template.edit_change':
    'Pour changer une valeur, remplacez le contenu de sa cellule. Les autres cellules gardent leurs valeurs enregistrées.',
  'template.edit_add': ({ id }) =>
    `Pour ajouter un enregistrement, écrivez une nouvelle ligne et laissez « ${id} » vide.`,
  'template.edit_delete': ({ yes, mark }) =>
    `Pour supprimer un enregistrement, choisissez « ${yes} » dans la colonne « ${mark} ».`,
  'template.edit_keep': 'Si vous retirez une ligne de ce fichier, son enregistrement reste tel quel.',
  'template.edit_read_only': 'Les colonnes grises sont en lecture seule.',
  'template.edit_arrange': ({ id }) =>
    `Vous pouvez trier et filtrer les lignes, et déplacer les colonnes. Ne changez ni les en-têtes ni rien dans « ${id} ».`,
  'template.edit_send':
    'Importez ensuite ce fichier. Les lignes en erreur reviennent dans un fichier qui indique les erreurs.',
  'template.read_only': 'Cette colonne est en lecture seule. Les changements y sont ignorés.',
  'too_many_rows.edit': ({ rows, max }) =>
    `Un fichier à modifier contient au plus ${max} enregistrements, et il y en a ${rows}. Choisissez-en moins avec un filtre.`,
  'invalid_edit_file.damaged':
    'La feuille masquée de ce fichier est endommagée. Exportez à nouveau les enregistrements.',
  'invalid_edit_file.other_records': 'Ce fichier provient d’autres enregistrements. Importez-le à cet endroit.',
  'invalid_edit_file.no_ids': ({ column }) =>
    `Aucune feuille n’a la colonne « ${column} », qui identifie l’enregistrement de chaque ligne.`,
  'invalid_edit_file.renamed': ({ columns, others }) =>
    `${columns.length === 1 ? 'La colonne' : 'Les colonnes'} ${and(columns.map(quote))} ${columns.length === 1 ? 'est inconnue' : 'sont inconnues'}, et ${and(others.map(quote))} ${others.length === 1 ? 'manque' : 'manquent'}. Rendez aux colonnes leurs anciens en-têtes.`,
  'invalid_edit_file.replace':
    'Un fichier modifié change des enregistrements un par un : il ne peut pas les remplacer tous. Envoyez append_data=true.',
  'invalid_edit_file.no_import':
    'Les fichiers de cette ressource ne peuvent pas être modifiés. Il faut une importation de classeurs qui met à jour des enregistrements, et une clé primaire d’une seule colonne.',
  'invalid_edit_file.format': 'Un fichier à modifier est un classeur. Envoyez « xlsx ».',
  'invalid_edit_file.own_columns':
    'Un fichier à modifier a les colonnes et les lignes de l’importation. Omettez ce champ.',
  'invalid_edit_file.marked': ({ rows, column }) =>
    `${counted(rows, 'ligne est marquée', 'lignes sont marquées')} pour suppression. Envoyez delete_marked=true pour supprimer les enregistrements, ou videz la colonne « ${column} ».`,
  'invalid_edit_file.no_delete': ({ column }) =>
    `Cette ressource ne supprime aucun enregistrement. Videz la colonne « ${column} ».`,
  'invalid.no_new_rows': 'Cette importation n’ajoute aucun enregistrement. Supprimez cette ligne.',
  not_written:
    'Cette cellule a été modifiée, mais elle n’est pas écrite : vous n’avez pas le droit de la changer, ou elle ne fait pas partie de l’importation.',
  'invalid_edit_file.two_sheets': ({ names }) =>
    `Les feuilles ${and(names.map(quote))} ont toutes les ID. Supprimez celle qui n’est pas voulue.`,
  'invalid_edit_file.no_base':
    'La feuille masquée de ce fichier manque : il ne montre pas ce qui a été modifié. Exportez à nouveau les enregistrements. Pour importer toutes les lignes telles quelles, supprimez la colonne des ID.',
  'invalid.no_result': 'Cette formule n’a pas de résultat. Ouvrez le fichier dans un tableur et enregistrez-le.',
  'invalid_edit_file.not_editable':
    'Cette importation ne change aucun enregistrement stocké : ses fichiers ne peuvent pas être modifiés.',
  'does_not_exist.edited_id': ({ id }) =>
    `Ce fichier n’a aucun enregistrement avec l’ID ${id}. Laissez vide l’ID d’un nouvel enregistrement.`,
  'does_not_exist.edited': 'Cet enregistrement n’existe plus, ou vous n’avez pas le droit de le voir.',
  'repeated.id': 'Une autre ligne a le même ID. Effacez l’ID de la ligne qui est nouvelle.',
  'invalid.not_whole':
    'Le fichier ne contient pas la valeur entière de cette cellule : elle ne peut pas être modifiée ici.',
  'invalid.mark': ({ yes }) => `Écrivez « ${yes} » pour supprimer cet enregistrement, ou videz la cellule.`,
  'conflict.edited': ({ before, now, yours }) =>
    `Cette valeur a changé depuis l’exportation. Elle était ${before} et elle est maintenant ${now}. Vous avez écrit ${yours}.`,
  'conflict.marked': ({ columns }) =>
    `Cette ligne est marquée pour suppression, mais son enregistrement a changé depuis l’exportation${columns.length === 0 ? '' : ` : ${and(columns.map(quote))}`}.`,
  'repeated.marked': 'Une autre ligne a le même ID : aucun enregistrement n’a été supprimé. Retirez l’une des lignes.',
  'failed_rows.errors': 'Erreurs',
  'failed_rows.import_errors': 'Erreurs d’importation',
  'failed_rows.left_out': ({ columns }) =>
    `Ce fichier n’a pas ${columns.length === 1 ? 'la colonne confidentielle' : 'les colonnes confidentielles'} ${and(columns.map(quote))}. Les valeurs enregistrées restent. Un nouvel enregistrement n’en reçoit pas, sauf si vous ${columns.length === 1 ? 'la' : 'les'} rajoutez.`,
  'pdf.page': ({ page, pages }) => `Page ${page} sur ${pages}`,
  'pdf.rows': ({ rows }) => `Lignes : ${rows}`,
  'pdf.filters': ({ filters }) => `Filtres : ${filters}`,
  'pdf.missing': ({ sign }) =>
    `${sign} remplace un caractère qu’aucune police de ce fichier ne contient. Les données, elles, le contiennent.`,
  'pdf.utc': 'Heures en UTC',
  'pdf.yes': 'Oui',
  'pdf.no': 'Non',
  'root.resources': 'Ressources',
  'root.records': ({ records }) => counted(records, 'enregistrement', 'enregistrements'),
  'root.no_resources': 'Aucune liste ne vous est accessible.',
  'root.anonymous': 'Vous n’êtes pas connecté. Les listes qui demandent une connexion n’apparaissent pas ici.',
  'root.allowed': 'Seules les listes que vous pouvez lire apparaissent ici.',
  'root.json': 'À cette adresse, les programmes reçoivent du JSON :',
  'root.descriptions': 'Descriptions',
  'root.reference': 'Référence',
  'root.document': 'Document OpenAPI',
  'root.schema': 'Schéma',
}

const FOUND = {
  nothing: 'rien',
  null: 'null',
  array: 'une liste',
  object: 'un objet',
  string: 'un texte',
  number: 'un nombre',
  boolean: 'une valeur booléenne',
} as const

function count(number: number): string {
  return number.toLocaleString('fr-FR')
}

/** In French, 0 and 1 take the singular. */
function counted(number: number, one: string, several: string): string {
  return `${count(number)} ${number < 2 ? one : several}`
}

function and(items: readonly string[]): string {
  return joined(items, 'et')
}

function quote(name: string): string {
  return `« ${name} »`
}

function or(items: readonly string[]): string {
  return joined(items, 'ou')
}

function listed(items: readonly string[], more: number): string {
  return more > 0 ? `${items.join(', ')} et ${counted(more, 'autre', 'autres')}` : items.join(', ')
}

function rowsOf(failed: number, of: number): string {
  return `${counted(failed, 'ligne', 'lignes')} sur ${count(of)}`
}

function areWrong(failed: number, of: number): string {
  return `${rowsOf(failed, of)} ${failed < 2 ? 'est' : 'sont'} en erreur`
}
