import { present, quote } from './joined.ts'
import type { Translation } from './message.ts'

/** The catalogue in Japanese: see `english.ts`. */
export const japanese: Translation = {
  // Fields of a request, and cells of a file.
  required: 'この項目は必須です。',
  'required.similar': ({ sent, meant }) =>
    `この項目は必須です。"${sent}"が送信されましたが、"${meant}"ではありませんか？`,
  ignored: ({ sent, meant }) => `"${sent}"は無視されました。"${meant}"ではありませんか？`,
  'required.cell': 'このセルは空ですが、値が必要です。',
  'required.column': ({ column }) => `列"${column}"がなく、prepareRowからも値が得られません。`,
  'required.append': 'この項目は必須です。"true"はレコードを追加し、"false"は保存済みのレコードを置き換えます。',
  null: 'この項目には値が必要です。nullは使えません。',
  blank: 'この項目には、空でないテキストが必要です。',
  empty: 'このリストは空です。要素を1つ以上送信してください。',
  invalid: 'この値は正しくありません。',
  'invalid.error_id': ({ id }) => `この値は使えません。お問い合わせの際は、エラーID ${id} をお伝えください。`,
  'invalid.row': ({ id }) => `この行は登録できません。お問い合わせの際は、エラーID ${id} をお伝えください。`,
  'invalid.together': ({ fields }) => `次の項目の値の組み合わせが正しくありません：${fields}。`,
  'invalid.error_cell': ({ error }) => `セルにエラー ${error} があります。代わりに値を入力してください。`,
  'invalid.error_cell_of': ({ column, error }) =>
    `列"${column}"のセルにエラー ${error} があります。代わりに値を入力してください。`,
  text_behind_quote: 'この行には、閉じ引用符（"）の後ろに文字があります。セルの続きとして読み取りました。',
  guessed_encoding: ({ encoding }) =>
    `ファイルの文字コードは推測です：${encoding}。特殊な文字を確認し、CSV UTF-8として保存するか、文字コードを指定してください。`,
  hidden_rows: ({ sheet, rows }) =>
    `シート「${sheet}」では${count(rows)}行が非表示です（フィルターの可能性があります）。ほかの行と同じように読み取りました。`,
  hidden_columns: ({ sheet, columns }) =>
    `シート「${sheet}」では列${columns.map(quote).join('、')}が非表示です。ほかの列と同じように読み取りました。`,
  lost_columns: ({ columns }) =>
    `このファイルには列${and(columns.map(quote))}がありません。保存済みの値はそのままです。`,
  merged_cells: ({ sheet, areas, cells }) =>
    `シート「${sheet}」には結合されたセルの範囲が${count(areas)}個あります。値があるのは範囲の最初のセルだけで、ほかの${count(cells)}個のセルは空です。`,
  number_format: ({ value }) => `セルには数値以外も表示されています。数値だけを読み取りました：${value}`,
  'invalid.too_many_cells':
    'この行のセルは、見出しの列より多くあります。余分なセルを削除するか、区切り文字を含むセルを引用符（"）で囲んでください。',
  'invalid.cell_beside_table':
    'この行には、見出しのある最後の列より右にセルがあります。その列に見出しを付けるか、セルを空にしてください。',
  'invalid.item': ({ item, problem }) => `"${item}"：${problem}`,
  'invalid.entry': ({ place, path, problem }) => `項目${place}：${problem}（${path}）`,
  invalid_text: ({ value }) => `${value}はテキストではありません。テキストを引用符で囲んで送信してください。`,
  'invalid_text.characters': 'このテキストには壊れた文字が含まれています。入力し直してください。',
  'invalid_text.nul': 'このテキストにはNUL文字が含まれています。取り除いてください。',
  invalid_integer: ({ value }) => `${value}は整数ではありません。42のように入力してください。`,
  'invalid_integer.quoted': ({ value }) => `${value}は引用符で囲まれています。引用符を付けずに数値を送信してください。`,
  'invalid_integer.comma': ({ value }) =>
    `${value}にはカンマが含まれています。整数は区切りを付けずに5000のように入力してください。`,
  invalid_number: ({ value }) => `${value}は数値ではありません。90.5のように入力してください。`,
  'invalid_number.quoted': ({ value }) => `${value}は引用符で囲まれています。引用符を付けずに数値を送信してください。`,
  'invalid_number.comma': ({ value }) =>
    `${value}にはカンマが含まれています。小数点にはピリオドを使い、桁区切りを付けずに1234.5のように入力するか、locale=de-DEのようにファイルの言語を指定してください。`,
  'invalid_number.cell': ({ value }) => `${value}は数値ではありません。90.5のような数値を入力してください。`,
  'invalid_number.text_cell': ({ value }) =>
    `${value}は数値ではなくテキストです。セルの書式を数値にして、入力し直してください。`,
  'invalid_number.form': ({ value, grouped, plain }) =>
    `${value}は数値ではありません。${grouped}または${plain}のように入力してください。`,
  'invalid_number.digits': ({ value }) =>
    `${value}のすべての桁をブックに保持することはできません。セルの書式を文字列にして、数値を入力し直してください。`,
  invalid_boolean: ({ value }) =>
    `${value}はtrueでもfalseでもありません。引用符を付けずにtrueまたはfalseを送信してください。`,
  'invalid_boolean.cell': ({ value }) =>
    `${value}はtrueでもfalseでもありません。trueかfalse、yesかno、1か0を入力してください。`,
  invalid_uuid: ({ value }) =>
    `${value}はUUIDではありません。7b3f1c5e-4a52-4f0e-9d7b-3f9f0f6f2a11のように入力してください。`,
  invalid_slug: ({ value }) => `${value}はAPIのほかのアドレスで使われています。別の値を選んでください。`,
  'invalid_slug.reserved': ({ field, value }) =>
    `このテキストから作られる${field}の${value}は、APIのほかのアドレスで使われています。テキストを変更してください。`,
  'invalid_slug.reserved_or_sent': ({ field, value }) =>
    `このテキストから作られる${field}の${value}は、APIのほかのアドレスで使われています。別の${field}を送信するか、テキストを変更してください。`,
  'invalid_slug.empty': ({ field }) =>
    `このテキストには、${field}に使える文字も数字もありません。テキストを変更してください。`,
  'invalid_slug.empty_or_sent': ({ field }) =>
    `このテキストには、${field}に使える文字も数字もありません。${field}を送信するか、テキストを変更してください。`,
  invalid_choice: ({ value, choices }) => `${value}は選択肢にありません。次の中から選んでください：${choices}。`,
  invalid_date: ({ value }) => `${value}は日付ではありません。2026-01-15のように入力してください。`,
  'invalid_date.form': ({ value, local }) =>
    `${value}は日付ではありません。${local}または2026-12-31のように入力してください。`,
  'invalid_date.no_such_day': ({ day }) => `${day}という日付はありません。`,
  invalid_datetime: ({ value }) => `${value}は日時ではありません。2026-01-15T10:30:00Zのように入力してください。`,
  'invalid_datetime.form': ({ value, local }) =>
    `${value}は日時ではありません。${local}または2026-12-31T14:30のように入力してください。`,
  invalid_time: ({ value }) => `${value}は時刻ではありません。10:30のように入力してください。`,
  'invalid_time.zone': ({ value }) => `${value}は時刻ではありません。10:30+01:00のように入力してください。`,
  invalid_address: ({ value }) => `${value}はIPアドレスではありません。192.0.2.1のように入力してください。`,
  invalid_mac: ({ value }) => `${value}はMACアドレスではありません。08:00:2b:01:02:03のように入力してください。`,
  invalid_json: '正しいJSONではありません。{"a": 1}または["a", "b"]のように入力してください。',
  invalid_base64: '正しいBase64ではありません。',
  max_length: ({ max }) => `${count(max)}文字以内で入力してください。`,
  'max_length.bytes': ({ max }) => `${count(max)}バイト以内にしてください。`,
  'max_length.items': ({ max }) => `要素は${count(max)}個以内にしてください。`,
  'max_length.names': ({ max }) => `この項目に指定できるレコードは${count(max)}件までです。`,
  'max_length.rows': ({ rows, max }) => `${count(rows)}行あります。一度に送信できるのは${count(max)}行までです。`,
  'max_length.form_field': 'この項目は長すぎます。',
  min_length: ({ min }) => `${count(min)}文字以上で入力してください。`,
  'min_length.items': ({ min }) => `リストには${count(min)}件以上の要素が必要です。`,
  exact_length: ({ length }) => `ちょうど${count(length)}文字で入力してください。`,
  multiple_of: ({ of }) => `${of}の倍数を入力してください。`,
  invalid_email: ({ value }) => `${value}はメールアドレスではありません。name@example.orgのように入力してください。`,
  invalid_url: ({ value }) => `${value}はURLではありません。https://example.orgのように入力してください。`,
  invalid_format: ({ value }) => `${value}はこの項目に必要な形式ではありません。`,
  max_value: ({ max }) => `${max}以下の値にしてください。`,
  'max_value.exclusive': ({ max }) => `${max}より小さい値にしてください。`,
  min_value: ({ min }) => `${min}以上の値にしてください。`,
  'min_value.exclusive': ({ min }) => `${min}より大きい値にしてください。`,
  max_decimal_places: ({ max }) => `小数点以下は${count(max)}桁以内にしてください。`,
  max_whole_digits: ({ max }) => `小数点より上は${count(max)}桁以内にしてください。`,
  leading_zeros: ({ zeros }) =>
    zeros === 1 ? '小数第1位は0にしてください。' : `小数第1位から第${count(zeros)}位までは0にしてください。`,
  not_an_object: ({ found }) => `JSONオブジェクトを送信してください。${found === 'nothing' ? '' : `${FOUND[found]}。`}`,
  'not_an_object.here': 'JSONオブジェクトを送信してください。',
  not_a_list: ({ found }) => `JSONの配列を送信してください。${found === 'nothing' ? '' : `${FOUND[found]}。`}`,
  'not_a_list.items': '要素のリストを送信してください。',
  'not_a_list.keys': '識別子のリストを送信してください。',
  'not_a_list.fields': '項目名のリストを送信してください。',
  'not_a_list.rows': '行のリストを送信してください。',
  'not_a_list.quote': ({ separator }) =>
    `引用符の位置が正しくありません。引用符または「${separator}」を含む要素は"a ""b"", c"のように入力してください。`,
  'not_a_list.json': 'リストではありません。a, bまたは["a", "b"]のように入力してください。',
  'not_a_list.cut': 'このリストはブックのセルには長すぎるため、途中で切れています。CSVを使用してください。',
  'not_a_list.records': ({ example }) => `JSONのリストではありません。${example}のように書いてください。`,

  // Unique values and related records.
  unique: 'この値は、すでに別のレコードで使われています。',
  'unique.together': ({ fields }) => `${fields}が一致する別のレコードが、すでにあります。`,
  'unique.same': ({ fields }) => `${fields}が一致する別のレコードがあります。`,
  'unique.exists': ({ fields }) => `${fields}が一致するレコードが、すでに存在します。`,
  'unique.item': 'このリクエストの別の要素に同じ値があります。',
  'unique.items_together': ({ fields }) => `このリクエストの別の要素に、${fields}の同じ値があります。`,
  does_not_exist: ({ record, field, value }) => `${field}が"${value}"のレコード（${record}）はありません。`,
  'does_not_exist.several': ({ records, field, values, more }) =>
    `${field}が次の値のレコード（${records}）はありません：${listed(values, more)}。`,
  'does_not_exist.row': ({ fields }) => `${fields}が一致するレコードはありません。`,
  'does_not_exist.referred': '参照先のレコードは存在しません。',
  'does_not_exist.user':
    'サインイン中のユーザーがここに登録されていないため、レコードの作成者または更新者として記録できません。',
  'does_not_exist.gone': 'このレコードは、たった今削除されました。',
  ambiguous: ({ records, field, value }) =>
    `${field}が"${value}"のレコード（${records}）が複数あります。1件だけに当てはまる値を使ってください。`,
  'ambiguous.row': ({ fields }) => `${fields}が一致するレコードが複数あります。1件だけになるように修正してください。`,
  claimed_twice: ({ values }) => `${values}は別の要素にも含まれています。`,
  'claimed_twice.record': '別の要素が同じレコードを対象にしています。',
  key_expected: ({ key }) => `オブジェクトではなく、関連レコードの"${key}"を送信してください。`,
  'key_expected.value': ({ key, value }) => `${value}ではなく、関連レコードの"${key}"を送信してください。`,
  out_of_scope: '保存するとこのレコードを表示できなくなるため、この内容では保存できません。',
  'out_of_scope.related': '新しいレコードは、この項目から参照できるものでなければなりません。',
  restricted: '別のレコードがこのレコードを参照しています。先にそれらを削除するか、参照先を変更してください。',
  'restricted.by': ({ resources }) =>
    `${and(resources.map(quote))}のレコードがこのレコードを参照しています。先にそれらを削除するか、参照先を変更してください。`,
  'restricted.records': ({ resources, keys, more }) =>
    `${and(resources.map(quote))}のレコードが次のレコードを参照しています：${listed(keys, more)}。先にそれらを削除するか、参照先を変更してください。`,
  'restricted.replace': ({ resources }) =>
    `削除されるレコードを${and(resources.map(quote))}のレコードが参照しているため、何も置き換えませんでした。先にそれらを削除するか、置き換えずに行を追加してください。`,
  not_of_path: 'アドレスは別のレコードを指しています。この項目を省略してください。',
  max_stored: ({ max }) => `この一覧に保存できるレコードは、保存済みのものを含めて${count(max)}件までです。`,
  truncated_list: 'この一覧は一部だけが読み込まれました。一覧を省略すれば、レコードはそのまま残ります。',
  must_belong: ({ values }) => `${values}は、必ずいずれかのレコードに属する必要があるため、外せません。`,
  not_soft_deletable: 'これらのレコードには削除済みの印を付けられません。bulk-deleteを使ってください。',
  repeated_header: 'この行は見出しの繰り返しです。',
  example_row: 'この行はテンプレートの例なので、取り込まれません。削除してください。',
  'invalid.sensitive': 'この値は正しくありません。機密の値のため表示されません。',
  repeated_row: ({ field, numbers, more }) =>
    `行${more > 0 ? listed(numbers, more) : and(numbers)}の${field}が同じです。1つだけ残してください。`,
  later_row: ({ row, field }) => `行${row}の${field}が同じで、ほかの値が異なります。どちらか1行だけを残してください。`,
  totals_row: ({ word, fields }) =>
    `合計の行のようです。"${word}"を含み、${and(fields.map(quote))}の値がありません。行を削除するか、値を入力してください。`,
  'totals_row.skipped': ({ word, fields }) =>
    `合計の行のようです。"${word}"を含み、${and(fields.map(quote))}の値がありません。`,
  'totals_row.label': ({ word }) => `合計の行のようです。文字は"${word}"だけです。`,
  'totals_row.stored': ({ word }) =>
    `この行は合計の行のようです。文字は"${word}"だけです。レコードでない場合は、行を削除してください。`,
  marked_and_edited: ({ columns }) =>
    `この行には削除の印がありますが、${and(columns.map(quote))} が編集されています。編集を元に戻すか、印を消してください。`,
  marked_row: 'この行には削除の印がありますが、ID がありません。何も作成も削除もされませんでした。',
  read_only_column: 'この列は閲覧専用です。変更は無視されました。',
  not_stored: 'この行はデータベースに保存されませんでした。',
  'not_stored.deleted': 'このレコードはデータベースから削除されませんでした。',
  'not_stored.record': 'レコードが保存されませんでした。',
  'not_stored.related': '関連レコードが保存されませんでした。',

  // The message of an answer.
  /** Several sentences, one after the other. */
  sentences: ({ texts }) => texts.join(''),
  several_errors: ({ count: errors }) =>
    `リクエストに${count(errors)}件のエラーがあります。詳しくは"errors"をご覧ください。`,
  conflict: 'リクエストが、保存されているデータと競合しています。',
  invalid_data: '送信されたデータが正しくありません。',
  not_found: 'このレコードは存在しないか、表示する権限がありません。',
  'not_found.key': ({ field, value }) => `${field}が${value}のレコードはありません。`,
  'not_found.address': 'このアドレスには何もありません。',
  'not_found.address_like': ({ method, address }) =>
    `このアドレスには何もありません。${method} ${address} ではありませんか？`,
  'not_found.action': ({ action }) => `このリソースに"${action}"はありません。`,
  'not_found.page_numbers': 'ページが正しくありません。ページ番号は1から始まります。',
  'not_found.last_page': ({ last }) => `ページが正しくありません。最後のページは${last}です。`,
  'not_found.page': 'ページが正しくありません。リストはその前で終わっています。',
  'not_found.cursor': 'リスト内の位置（カーソル）が正しくありません。最初のページからやり直してください。',
  'not_found.resource_of_job': 'このジョブのリソースは、もう存在しません。',
  'not_found.file_of_job': 'このジョブではファイルは作成されていません。',
  'not_found.file_is_gone': 'このジョブのファイルは、もうありません。',
  gone: ({ resource }) => `リソース"${resource}"は、もう存在しません。`,
  'gone.user': 'このジョブを依頼したユーザーは、もう存在しません。',
  'gone.rows': 'このジョブの行は、もうありません。',
  'gone.file': 'このジョブのファイルは、もうありません。',
  method_not_allowed: ({ method, allowed, address }) =>
    `ここではメソッド"${method}"は使えません。${allowed && `使えるメソッド：${allowed}。`}${address === undefined ? '' : `${address} ではありませんか？`}`,
  not_authenticated: '認証情報が送信されていません。',
  'not_authenticated.header': ({ headers }) =>
    `認証情報が送信されていません。ヘッダー${or(headers)}を送信してください。`,
  'not_authenticated.scheme': ({ scheme, headers }) =>
    `このAPIは、Authorizationヘッダーの方式"${scheme}"に対応していません。ヘッダー${or(headers)}を送信してください。`,
  'not_authenticated.token': 'トークンが正しくありません。',
  'not_authenticated.expired': 'トークンの有効期限が切れています。',
  'not_authenticated.api_key': 'APIキーが正しくありません。',
  'not_authenticated.background':
    'バックグラウンド処理を依頼できるのは、サインインしたユーザーだけです。先にサインインしてください。',
  'not_authenticated.import_mapping':
    '対応付けを保存できるのは、サインインしたユーザーだけです。先にサインインしてください。',
  not_movable: 'このレコードは、変更できない別のレコードに属しているため、移動できません。',
  permission_denied: 'この操作を行う権限がありません。',
  'permission_denied.hidden_columns':
    'このインポートには、閲覧権限のない列が必要です。閲覧できる人にファイルのインポートを依頼してください。',
  'permission_denied.hidden_fields':
    'このリクエストは、閲覧権限のない項目でレコードを検索します。閲覧できる人に送信を依頼してください。',
  'permission_denied.pages': 'このリストは、ページ単位でのみ取得できます。',
  precondition_failed:
    '読み込んだ後に、別のユーザーがこのレコードを変更しました。読み込み直してから、もう一度変更してください。',
  'precondition_failed.row':
    'この版を書き出した後に、レコードが変更されています。もう一度書き出してから、変更をやり直してください。',
  'precondition_failed.missing_row':
    'この版のレコードはもう保存されていません。新しいレコードとして保存するには、セルを空にしてください。',
  'precondition_failed.no_version':
    'このリソースには版がないため、If-Match のタグを持つレコードはありません。このヘッダーなしで送ってください。',
  'precondition_failed.unknown_tag': ({ value }) =>
    `このレコードにETagが${value}のバージョンはありません。受け取ったETagをそのまま送信してください。`,
  'precondition_failed.none_match': 'このレコードは If-None-Match によって除外されています。',
  precondition_required: '他の人の変更を失わないように、レコードの ETag をヘッダー If-Match で送ってください。',
  'precondition_required.item': '他の人の変更を失わないように、レコードの ETag を「_etag」で送ってください。',
  invalid_etag: ({ value }) =>
    `${value} は ETag ではありません。受け取ったままのレコードの ETag を送ってください。例: "1769000000000"`,
  different_etags: 'ヘッダー If-Match と本文の「_etag」が異なる版を指しています。どちらか一方だけを送ってください。',
  etag_of_child:
    'ここでは子レコードに固有の ETag はありません。それを含むレコードの版が保護します。そのレコードの ETag を送ってください。',
  misplaced_if_match:
    'If-Match は 1 件のレコードのアドレスで使います。複数の場合は、各項目に ETag を「_etag」で付けてください。',
  invalid_idempotency_key: ({ value }) =>
    `${value} は冪等キーではありません。UUID など、1～255 文字のテキストを送ってください。`,
  'invalid_idempotency_key.anonymous':
    '冪等キーを送れるのは、サインインしたユーザーだけです。先にサインインしてください。',
  'invalid_idempotency_key.file': 'ファイルの応答は再送できません。冪等キーを付けずに送ってください。',
  idempotency_key_reused: 'この冪等キーは別のリクエストのものです。変更したリクエストには新しいキーを付けてください。',
  idempotency_key_in_use: 'この冪等キーのリクエストはまだ処理中です。しばらくしてからもう一度送ってください。',
  answer_too_long: 'リクエストは実行されました。応答が長すぎて保存できなかったため、レコードを読み直してください。',
  answer_withheld: 'リクエストは実行されました。権限が変わったため、応答は再び表示されません。',
  'permission_denied.file':
    'このファイルは別の権限または別のテナントで作成されました。もう一度エクスポートしてください。',
  'not_found.before_history': ({ start }) => `このレコードの履歴は ${start} から始まります。`,
  'does_not_exist.entry': ({ entry }) => `このレコードの履歴に項目 ${entry} はありません。`,
  'does_not_exist.state': ({ entry }) => `項目 ${entry} の後には、レコードがありませんでした。`,
  not_revertible: 'このフィールドは元に戻せません。更新で変更してください。',
  'past_state.names': '履歴に現在は存在しないフィールドがあるため、その時点の状態は分かりません。',
  'past_state.erased': 'この履歴の項目は消去されているため、その時点の状態は分かりません。',
  'past_state.unrecorded': 'その後、履歴のない書き込みがこのレコードを削除したため、その時点の状態は分かりません。',
  'past_state.other_type': 'その時点の値は、フィールドの現在の型に合いません。',
  'undone.changed': ({ user, at, fields }) => `${user ?? '他の人'} が ${at} に ${fields.join('、')} を変更しました。`,
  'undone.deleted': ({ user, at }) => `${user ?? '他の人'} が ${at} にレコードを削除しました。`,
  'undone.stored_again': ({ user, at }) => `${user ?? '他の人'} が ${at} にこの識別子のレコードを再び保存しました。`,
  'undone.by_job': ({ job, at, fields }) =>
    `ジョブ ${job} が ${at} に ${fields.length > 0 ? fields.join('、') : 'レコード'} を変更しました。先にそのジョブを元に戻してください。`,
  'undone.losses': ({ resources }) =>
    `データベースが一緒に削除した ${resources.join('、')} のレコードは元に戻りません。`,
  'undone.unrecorded': ({ fields }) =>
    `履歴のない書き込みが ${fields.length > 0 ? fields.join('、') : 'レコード'} を変更しました。`,
  'undone.redacted': ({ fields }) => `${fields.join('、')} の以前の値は保存されていません。`,
  'undone.dropped': ({ fields }) =>
    fields.length > 0 ? `${fields.join('、')} は現在存在しません。` : '現在存在しないフィールドは元に戻りません。',
  'undone.other_type': ({ fields }) => `${fields.join('、')} の以前の値は現在の型に合いません。`,
  'undone.required': ({ fields }) => `レコードには ${fields.join('、')} の値がなく、値が必要です。`,
  'undone.referred': ({ resources }) => `${resources.join('、')} のレコードが参照しています。`,
  'undone.some': ({ reversed, of }) =>
    `${of} 件のうち ${reversed} 件のレコードがジョブの前の状態です。ほかのレコードについてはファイルをご覧ください。`,
  'undone.would_be_some': ({ reversed, of }) =>
    `${of} 件のうち ${reversed} 件のレコードがジョブの前の状態になります。ほかのレコードについてはファイルをご覧ください。`,
  not_undoable: 'このジョブの変更は記録されていないため、元に戻せません。',
  'not_undoable.export': 'エクスポートは何も変更していません。',
  'not_undoable.not_ended': ({ state }) =>
    `このジョブはまだ終了していません (${state})。終了してから元に戻してください。`,
  'not_undoable.dry_run': '試行は何も保存していません。',
  'not_undoable.nothing': 'このジョブは何も変更していません。',
  'not_undoable.running': ({ job }) => `ジョブ ${job} が元に戻しています。`,
  'not_undoable.done': ({ job }) => `ジョブ ${job} がすでに元に戻しました。`,
  too_many_requests: '終了していないジョブがサーバーに多すぎます。後でもう一度お試しください。',
  'too_many_requests.jobs': ({ jobs }) =>
    jobs === 1
      ? '終了していないジョブが1件あります。それが終了してから、もう一度お試しください。'
      : `終了していないジョブが${count(jobs)}件あります。いずれかが終了してから、もう一度お試しください。`,
  'too_many_requests.streams': ({ streams }) =>
    `すでに${count(streams)}件のジョブの状況を受信しています。いずれかの接続を閉じるか、イベントを使わずに取得してください。`,
  service_unavailable: 'データベースを利用できません。もう一度お試しください。',
  'service_unavailable.busy': 'データベースが混み合っています。もう一度お試しください。',
  'service_unavailable.closing': 'サーバーは終了処理中です。もう一度お試しください。',
  'service_unavailable.searches': '別の長い検索やリストを処理中です。もう一度お試しください。',
  'service_unavailable.streams': '別の長いリストやエクスポートを処理中です。もう一度お試しください。',
  'service_unavailable.imports': '別のインポートを実行中です。後でもう一度お試しください。',
  'service_unavailable.pdf': '別のPDFファイルを作成中です。後でもう一度お試しください。',
  'service_unavailable.files': '現在、サーバーがファイルにアクセスできません。後でもう一度お試しください。',
  'service_unavailable.disk': '現在、サーバーがファイルを保存できません。後でもう一度お試しください。',
  'service_unavailable.keys': 'サーバーが、トークンの検証に使う鍵を取得できません。もう一度お試しください。',
  'service_unavailable.unknown_outcome':
    '変更を保存している間に、データベースとの接続が切れました。保存されたかどうか、レコードを読み込んで確認してください。',
  internal_error: ({ id }) => `サーバー側で問題が発生しました。お問い合わせの際は、エラーID ${id} をお伝えください。`,

  // The request itself.
  malformed: 'リクエストの形式が正しくありません。',
  'malformed.http': 'リクエストが正しいHTTPではありません。',
  'malformed.url': 'URLの形式が正しくありません。',
  'malformed.percent': 'URLの形式が正しくありません。%の後には、正しいUTF-8を表す2桁の16進数が必要です。',
  'malformed.nul_in_url': 'URLにNUL文字（%00）が含まれています。取り除いてください。',
  'malformed.host': 'Hostヘッダーの形式が正しくありません。',
  'malformed.hosts': 'Hostヘッダーは1つだけ送信してください。',
  'malformed.protocol': 'X-Forwarded-Protoヘッダーの形式が正しくありません。',
  'malformed.empty': 'リクエストの本文が空です。',
  'malformed.json': 'リクエストの本文が正しいJSONではありません。',
  'malformed.json_at': ({ place, expected, found }) =>
    `リクエストの本文が正しいJSONではありません（${place}）。必要なもの：${expected}。${found === undefined ? '本文がここで終わっています' : `実際の内容：${found}`}。`,
  'malformed.place': ({ line, column }) => `${line}行目、${column}文字目`,
  'json.end': '本文の終わり',
  'json.value': '値',
  'json.comma_or_bracket': '"," または "]"',
  'json.comma_or_brace': '"," または "}"',
  'json.key': '二重引用符で囲んだキー',
  'json.key_or_no_comma': 'コンマの後のキー、またはコンマなし',
  'json.colon': '":"',
  'json.escape': 'JSONのエスケープ（\\nなど）',
  'json.escaped_control': 'エスケープした制御文字',
  'json.closing_quote': '閉じ引用符',
  'size.megabytes': ({ size }) => `${size} MB`,
  'size.bytes': ({ size }) => `${count(size)}バイト`,
  'malformed.utf8': ({ place }) => `リクエストの本文が正しいUTF-8ではありません（${place}）。UTF-8で送信してください。`,
  'malformed.too_deep': ({ levels, place }) =>
    `リクエストの本文の入れ子が${count(levels)}階層を超えています（${place}）。`,
  'malformed.number': ({ number }) => `${number}は、JSONでは数値ではありません。`,
  'malformed.repeated_key': 'このキーが複数回指定されています。',
  'malformed.key': ({ key, problem }) => `キー${key}は正しくありません。${problem}`,
  'malformed.forbidden_key': ({ key }) => `ここではキー${key}は使えません。`,
  'malformed.nul': 'NUL文字は使えません。',
  'malformed.surrogate': ({ character }) => `単独のサロゲート文字は使えません：${character}。`,
  'malformed.inexact_integer': 'この整数は大きすぎて、数値としては正確に扱えません。引用符で囲んで送信してください。',
  'malformed.huge_number': 'この数値は大きすぎます。',
  'malformed.inexact_number': ({ value }) =>
    `この数値は正確に扱えず、${value}になってしまいます。引用符で囲んで送信してください。`,
  'malformed.cut_off': 'リクエストの本文が途中で切れています。',
  'malformed.multipart': 'リクエストの本文が正しいmultipart/form-dataではありません。',
  'malformed.boundary': 'Content-Typeヘッダーにboundaryがありません。',
  'malformed.upload_cut_off': 'アップロードが途中で切れました。',
  'malformed.closed': 'クライアントが接続を閉じました。',
  unsupported_media_type: '本文はapplication/jsonとして送信してください。',
  'unsupported_media_type.utf8': '本文はapplication/jsonとして、UTF-8で送信してください。',
  'unsupported_media_type.encoding': '本文はContent-Encodingを使わず、そのまま送信してください。',
  'unsupported_media_type.multipart': 'ファイルはmultipart/form-dataとして送信してください。',
  payload_too_large: ({ limit }) =>
    `リクエストの本文が大きすぎます。${limit === undefined ? '' : `上限は${limit}です。`}`,
  'payload_too_large.file': ({ limit }) => `ファイルの大きさが${limit}を超えています。`,
  request_timeout: 'リクエストの受信に時間がかかりすぎました。',
  'request_timeout.stopped': 'アップロードが止まりました。',
  'request_timeout.upload': 'アップロードに時間がかかりすぎました。',
  headers_too_large: 'URLとヘッダーが大きすぎます。',
  expectation_failed: '"Expect: 100-continue"以外には対応していません。',

  // Query parameters.
  repeated: 'このパラメーターは1回だけ指定してください。',
  unknown_parameter: ({ name, hint }) => `パラメーター"${name}"は使えません。${hint}`,
  'hint.did_you_mean': ({ name }) => `"${name}"ではありませんか？`,
  'hint.known': ({ names, more }) => `使えるパラメーター：${listed(names, more)}。`,
  'hint.none': 'この操作にはパラメーターがありません。',
  'hint.body': 'アドレスではなく、本文で送信してください。',
  'hint.paging': ({ names }) => `このリストのページは${and(names)}で指定します。`,
  'hint.lookups': ({ field, names, more }) => `"${field}"で使える絞り込み：${listed(names, more)}。`,
  invalid_expression: ({ at }) =>
    `この式は${at}文字目から読み取れません。(rating__gte=4,and(kind=new,name="a, b"))のように、条件を括弧で囲み、カンマで区切ってください。`,
  'invalid_expression.depth': ({ max }) => `条件の括弧は${max}段までです。`,
  'invalid_expression.size': ({ max }) => `1つの式の条件は${max}個までです。`,
  too_many_tables: ({ max }) =>
    `このリクエストは一度に多くの関連レコードを参照しています。テーブルは${max}個までです。フィルターを減らしてください。`,
  invalid_parameter: ({ expected }) => `次の値を指定してください：${expected}。`,
  'expected.text': 'テキスト',
  'expected.whole': ({ min, max }) => `${min}から${max}までの整数`,
  'expected.whole_number': '整数（例：42）',
  'expected.number': '数値（例：12.5）',
  'expected.boolean': 'trueまたはfalse',
  'expected.row': '行の番号、またはブックの場合はシートごとの番号（{"Prices": 4}）',
  'expected.date': '日付（例：2026-01-15）',
  'expected.datetime': '日付または日時（例：2026-01-15T10:30:00Z）',
  'expected.time': '時刻（例：10:30）',
  'expected.uuid': '正しいUUID',
  'expected.key': ({ key, value }) => `関連するレコードの"${key}"（${value}）`,
  'expected.choice': ({ choices }) => `${choices}のいずれか`,
  'expected.list': ({ each }) => `カンマで区切った値（それぞれ、${each}）`,
  'expected.pair': ({ each }) => `カンマで区切った2つの値（それぞれ、${each}）`,
  'expected.year': '4桁の西暦（例：2026）',
  'expected.state': 'active、deletedまたはall',
  'expected.page': '1以上の整数',
  'expected.offset': '0以上の整数',
  unknown_ordering: ({ name, known }) => `"${name}"では並べ替えできません。使える項目：${known}。`,
  'unknown_ordering.direction': ({ name, meant }) => `"${name}"では並べ替えできません。"${meant}"ではありませんか？`,
  'unknown_ordering.too_many': ({ max, known }) =>
    `並べ替えに使える項目は${count(max)}個までです。使える項目：${known}。`,
  search_too_long: ({ max }) => `検索できるのは${count(max)}文字までです。`,
  'search_too_long.words': ({ max }) => `検索できるのは${count(max)}語までです。`,

  // Uploads, and the options of an import.
  no_file: 'ファイルが送信されていません。フォームの項目"file"で送信してください。',
  'no_file.empty': '送信されたファイルは空です。別のファイルを選んでください。',
  'no_file.name': 'ファイルが送信されていません。フォームの項目にファイル名がありません。',
  'repeated.file': 'ファイルは1つずつ送信してください。',
  'repeated.field': 'この項目は1回だけ指定してください。',
  'repeated.differently': 'フォームとアドレスで異なる値が指定されています。どちらか一方で指定してください。',
  too_many_parts: ({ max }) => `送信できるのは、ファイル1つと項目${count(max)}個までです。`,
  misplaced: 'この項目は、アドレスではなくフォームで送信してください。',
  dry_run_only: '変更内容を確認できるのはテスト実行だけです。dry_run=trueも送信してください。',
  invalid_mapping:
    '各列の見出しに対応する項目を、JSONオブジェクトで送信してください。インポートしない列にはnullを指定します。例：{"Airport code": "iata"}',
  invalid_values:
    '各列の見出しについて、テキストに代わる値を、JSONオブジェクトで送信してください。値をなくすにはnullを指定します。例：{"Country": {"Norge": "NO"}}',
  'invalid_values.sensitive': ({ column }) => `"${column}"は機密の列のため、ここではセルを変更できません。`,
  invalid_headers:
    'ファイルの見出しをテキストのリスト、またはシートごとのリストを持つJSONオブジェクトで送信してください。',
  too_many_import_mappings: ({ max }) =>
    `保存済みの対応付けが${count(max)}件あり、これ以上は保存できません。先に1件削除してください。`,
  no_background: 'このAPIは、バックグラウンド処理に対応していません。',
  'no_background.too_large': 'オプションが大きすぎるため、バックグラウンドでは処理できません。',
  own_rows_only: 'このリソースでエクスポートできるのは、自身の行だけです。',
  invalid_delimiter: ({ value }) => `${value}は区切り文字ではありません。","、";"、"\\t"から選択してください。`,
  invalid_encoding: ({ encoding, example }) =>
    `「${encoding}」は文字コードではありません。「${example}」のように書いてください。`,
  invalid_locale: ({ locale, example }) =>
    `「${locale}」は言語タグではありません。「${example}」のように入力してください。`,
  'invalid_locale.unknown': ({ locale }) => `言語「${locale}」は不明です。`,
  'invalid_locale.calendar': ({ locale, calendar, gregorian }) =>
    `「${locale}」の暦「${calendar}」はファイルでは使用できません。「${gregorian}」と入力してください。`,
  unknown_setting: ({ names, known }) => `使えない設定です：${names.map(quote).join('、')}。使える設定：${known}。`,
  unknown_field: ({ names, more, known }) =>
    `使えない項目です：${listed(names.map(quote), more)}。使える項目：${known}。`,
  'unknown_field.shown': ({ name, hint }) => `フィールド「${name}」はありません。${hint}`,
  missing_package: ({ format, packages, choices }) =>
    `"${format}"に必要なパッケージがこのサーバーにありません：${packages}。次の中から選んでください：${choices}。`,

  // Files that cannot be read or written.
  unreadable: 'ファイルが空です。',
  'unreadable.xls': 'ブックが壊れています。表計算ソフトで開き、XLSXとして保存してください。',
  'unreadable.xlsx': 'ブックが壊れています。表計算ソフトで開き、保存し直してください。',
  'unreadable.doctype': 'ブックに、使用できない文書型宣言（DOCTYPE）が含まれています。',
  'unreadable.entity': 'ブックに、使用できないXML実体が含まれています。',
  'unreadable.nul':
    'ファイルにNUL文字が含まれています。壊れているか、テキストファイルではありません。CSV UTF-8として保存し直してください。',
  'unreadable.open_quote': ({ row }) =>
    `${row}行目に、閉じられていない引用符（"）があります。閉じるか削除してください。`,
  'unreadable.quote': ({ row }) =>
    `${row}行目に、引用符（"）で囲まれたセルの後に続く文字があります。セル内の引用符は2つ重ねてください。`,
  'unreadable.bytes': ({ row, encoding }) =>
    `${row}行目に、文字コード${encoding}では文字にならないバイトがあります。CSV UTF-8として保存するか、文字コードを指定してください。`,
  'unreadable.encoding':
    'ファイルの文字コードはUTF-8でもWindows-1252でもありません。CSV UTF-8として保存するか、encoding=shift_jisのように文字コードを指定してください。',
  encrypted: 'ブックがパスワードで保護されています。パスワードなしで保存してください。',
  wrong_format: ({ found, formats }) =>
    `このファイルは${found}のようです。${or(formats)}形式のファイルを送信してください。`,
  'wrong_format.unknown': ({ formats }) =>
    `このファイルはテキストでもブックでもありません。${or(formats)}形式のファイルを送信してください。`,
  'wrong_format.spreadsheet': ({ found, format }) =>
    `このファイルは${found}のようです。表計算ソフトで開き、${format}として保存（名前を付けて保存、.${format.toLowerCase()}）してから、新しいファイルを送信してください。`,
  'content.csv': 'CSVファイル',
  'content.xls': 'XLSファイル',
  'content.xlsx': 'XLSXファイル',
  'content.pdf': 'PDF文書',
  'content.png': 'PNG画像',
  'content.jpeg': 'JPEG画像',
  'content.gif': 'GIF画像',
  'content.archive': ({ type }) => `${type}形式の圧縮ファイル`,
  'content.rtf': 'RTF文書',
  'content.sqlite': 'SQLiteデータベース',
  'content.parquet': 'Parquetファイル',
  'content.program': 'プログラム',
  'content.xml': 'XML文書',
  'content.html': 'Webページ（HTML）',
  'content.json': 'JSONファイル',
  'content.word': 'Word文書',
  'content.presentation': 'プレゼンテーション',
  'content.xlsb': 'バイナリブック（XLSB）',
  'content.ods': 'OpenDocumentスプレッドシート（ODS）',
  too_large: ({ limit }) => `ファイルの大きさが${limit}を超えています。`,
  'too_large.rows': ({ max }) => `行の数が${count(max)}行を超えています。`,
  'too_large.sheet_rows': ({ max }) => `行の数が${count(max)}行を超えているシートがあります。`,
  'too_large.row_columns': ({ row, max }) => `${row}行目の列の数が${count(max)}列を超えています。`,
  'too_large.cell': ({ row, max }) => `${row}行目に、${count(max)}文字を超えるセルがあります。`,
  'too_large.row': ({ row, max }) => `${row}行目が${count(max)}文字を超えています。`,
  'too_large.all': ({ row, max }) => `${row}行目で、全体の文字数が${count(max)}文字を超えます。`,
  'too_large.sheets': ({ max }) => `ブックのシートの数が${count(max)}枚を超えています。`,
  'too_large.columns': ({ max }) => `1つのシートに入れられるのは${count(max)}列までです。`,
  'too_large.record': ({ row, bytes }) =>
    `${row}行目が${count(bytes)}バイトを超えています。引用符（"）が閉じられていない可能性があります。`,
  'too_large.text': ({ max }) => `ブックに、${count(max)}文字を超えるテキストがあります。`,
  'too_large.long_text': 'ブックに、長すぎるテキストがあります。',
  'too_large.unpacked': ({ bytes }) => `展開すると、ブックの大きさが${count(bytes)}バイトになります。`,
  'too_large.parts': ({ max }) => `ブックを構成するファイルの数が${count(max)}個を超えています。`,
  'too_large.zip': 'ブックの大きさは4 GiBまでです。',
  'too_large.memory': 'ブックの処理に必要なメモリーが多すぎます。小さなブックに分けるか、CSVとして保存してください。',
  'too_large.pdf_memory': 'PDFの作成に必要なメモリーが多すぎます。行を減らしてエクスポートしてください。',
  'too_large.pdf_columns': ({ max }) => `PDFの列は${max}列までです。`,
  'too_large.pdf_characters': ({ max }) =>
    `PDFに入れられる文字は${count(max)}種類までです。行を減らすか、CSVまたはXLSXでエクスポートしてください。`,
  out_of_time: 'ブックの読み込みに時間がかかりすぎます。小さなブックに分けるか、CSVとして保存してください。',
  'out_of_time.pdf': 'PDFの作成に時間がかかりすぎました。行を減らしてエクスポートしてください。',
  too_many_rows: ({ format, max, rows }) =>
    `${format}ファイルに入れられるのは${count(max)}行までですが、${count(rows)}行あります。行を絞り込んでください。`,
  'too_many_rows.pdf': ({ max, rows }) =>
    `pdfファイルに入れられるのは${count(max)}行までですが、${count(rows)}行あります。行を絞り込むか、csvまたはxlsxを選んでください。`,
  text_cut: ({ cells }) =>
    `${count(cells)}個のセルが${count(32_767)}文字を超えていたため、超えた部分を切り捨てました。`,
  missing_glyphs: ({ count: missing, characters }) =>
    `次の${count(missing)}文字を含むフォントがありません：${characters}`,

  // Columns and sheets of an import.
  missing_column: ({ column, others }) =>
    `列"${column}"がありません。${others.length === 0 ? '' : `列名は${or(others.map(quote))}でもかまいません。`}`,
  repeated_column: ({ count: times, column }) =>
    `ファイルに列"${column}"が${count(times)}個あります。1つだけ残してください。`,
  'missing_column.none': 'ファイルに列がありません。',
  'missing_column.other_row': '列名が別の行にある場合は、その行番号を"header_row"で送ってください。',
  'missing_column.found': ({ columns, more, row }) =>
    `見出し（${row === undefined ? '最初の行' : `${row}行目`}）にある列：${listed(columns.map(quote), more)}。`,
  invalid_header_row: ({ row, sheet }) =>
    `${sheet === '' ? '' : `シート"${sheet}"の`}${row}行目は見出しにできません。空か、内容のある最初の30行に含まれません。`,
  'invalid_header_row.csv_sheet': ({ sheet }) =>
    `ファイルはCSVなので、シート"${sheet}"はありません。番号だけを送ってください。`,
  'invalid_header_row.unknown_sheet': ({ sheet, hint }) => `ファイルにシート"${sheet}"がありません。${hint}`,
  'invalid_header_row.unread_sheet': ({ sheet, hint }) => `シート"${sheet}"はインポートされません。${hint}`,
  missing_sheet: ({ sheet }) => `ブックにシート"${sheet}"がありません。`,
  'missing_sheet.found': ({ sheets, more }) =>
    `ブックにあるシート：${sheets.map(quote).join('、')}${more ? '、...' : '。'}`,
  'missing_sheet.rename': ({ sheet }) => `行のあるシートの名前を"${sheet}"にするか、シートを1つだけにしてください。`,
  'missing_sheet.needed': ({ sheets }) =>
    `すべての列を1つのシートに入れるか、シートの名前を${and(sheets.map(quote))}にしてください。`,
  template_is_at: ({ problem, address }) => `${problem}テンプレートはこちらです：${address}`,
  'invalid_mapping.file': '対応付けがファイルに合っていません。',
  'invalid_mapping.column': ({ column, hint }) => `ファイルに列"${column}"がありません。${hint}`,
  'invalid_mapping.repeated': ({ column }) => `"${column}"が2回指定されています。`,
  'invalid_mapping.several': ({ count: times, column, first }) =>
    `ファイルに列"${column}"が${count(times)}個あります。最初の列は"${first}"と指定してください。`,
  'invalid_mapping.both': ({ one, other, field }) =>
    `"${one}"と"${other}"の両方を"${field}"に対応付けることはできません。`,
  'invalid_mapping.field': ({ column, field, hint }) => `"${column}"："${field}"はインポートできません。${hint}`,
  'invalid_mapping.ambiguous': ({ column, fields }) =>
    `"${column}"：どの項目か特定できません。${or(fields.map(quote))}と指定してください。`,
  'invalid_mapping.sheet': ({ sheet, hint }) => `ファイルにシート"${sheet}"がありません。${hint}`,
  'invalid_mapping.csv_sheet': ({ sheet }) =>
    `CSVファイルなので、シート"${sheet}"はありません。シートを付けずに列を指定してください。例：{"Airport code": "iata"}`,
  'invalid_mapping.unread_sheet': ({ sheet, hint }) => `シート"${sheet}"はインポートされません。${hint}`,
  'invalid_mapping.by_sheet': ({ sheet }) =>
    `複数のシートをインポートします。列をシートごとに指定してください。例：{"${sheet}": {...}}`,
  'hint.names': ({ names }) => `使える名前：${names.map(quote).join('、')}。`,
  nothing_to_replace: 'ファイルに行がないため、何も置き換えませんでした。',
  'nothing_to_replace.skipped': '置き換えの対象となる行がすべてスキップされたため、何も置き換えませんでした。',

  // The outcome of a restore, of an import and of a job.
  restored: 'レコードを復元しました。',
  'restored.active': 'このレコードは削除されていなかったため、変更していません。',
  'imported.no_rows': 'ファイルの見出しの下に行がないため、何もインポートしませんでした。',
  'imported.would_fail': ({ failed, of }) =>
    `${rowsOf(failed, of)}がエラーになります。テスト実行のため、何も保存していません。`,
  'imported.not_replaced': ({ failed, of }) =>
    `${rowsOf(failed, of)}がエラーになったため、何も置き換えませんでした。データは元のままです。`,
  'imported.all_failed': ({ failed, of }) => `${rowsOf(failed, of)}がエラーになりました。何も保存していません。`,
  'imported.rolled_back': ({ failed, of }) =>
    `${rowsOf(failed, of)}がエラーになったため、何も保存しませんでした。データは元のままです。`,
  'imported.some_failed': ({ failed, of, stored }) =>
    `${rowsOf(failed, of)}がエラーになりました。残りの${count(stored)}行は保存しました。`,
  'imported.mixed': ({ failed, of, stored, deleted, unchanged, skipped }) =>
    `${rowsOf(failed, of)}がエラーになりました。残りの行：${present(
      [
        [stored, `保存${count(stored)}行`],
        [deleted, `削除${count(deleted)}行`],
        [unchanged, `変更なし${count(unchanged)}行`],
        [skipped, `スキップ${count(skipped)}行`],
      ],
      '、',
    )}。`,
  'imported.file_has_all': ({ message }) =>
    `${message}ファイルにはすべての行が入っています。修正して、もう一度送信してください。`,
  'imported.before': ({ problem, rows, created, updated, deleted }) =>
    `${problem}その前に、先頭の${count(rows)}行をインポートしました（作成${count(created)}行、更新${count(updated)}行${deleted > 0 ? `、削除${count(deleted)}行` : ''}）。`,
  'imported.ended_early': ({ problem }) => `${problem}同じファイルをもう一度インポートできます。`,
  'job.cancelled': 'キャンセルされました。',
  imported_before: ({ day, job }) => `このファイルは、${day}にジョブ${job}で既にインポートされています。`,
  job_has_ended: 'このジョブは、すでに終了しています。',
  job_not_ended: ({ state }) =>
    `このジョブはまだ終了していません（${state}）。ファイルは終了してから取得してください。`,
  'job.crashed': ({ times }) => `このジョブの処理中にサーバーが${count(times)}回停止し、処理が進みませんでした。`,
  'job.nothing_stored': ({ reason }) => `${reason}何も保存していません。`,

  // Templates, files of failed rows, and PDF.
  'template.required': '必須。',
  'template.optional': '任意。',
  'template.takes_blank': '任意。空のセルは空のテキストになります。',
  'template.text': 'テキスト。',
  'template.text_of': ({ max }) => `${count(max)}文字以内のテキスト。`,
  'template.choice': ({ choices }) => `次のいずれか：${choices}。`,
  'template.whole': '整数。',
  'template.number': '数値。',
  'template.decimal': ({ digits }) => `小数点以下${count(digits)}桁までの数値。`,
  'template.boolean': 'trueまたはfalse。',
  'template.date': '日付：YYYY-MM-DD。',
  'template.datetime': '日時（例：2026-01-15T10:30:00Z）。',
  'template.time': '時刻（例：10:30）。',
  'template.uuid': 'UUID。',
  'template.json': 'JSON。',
  'template.list': 'a, bのようなリスト。コンマを含む要素は"a, b"のように引用符で囲みます。',
  'template.bytes': 'Base64形式のバイト列。',
  'template.bytes_of': ({ max }) => `Base64形式で${count(max)}バイト以内。`,
  'template.number_form': ({ grouped, plain }) => `数値は${grouped}または${plain}のように入力してください。`,
  'template.date_form': ({ local }) => `日付は${local}または2026-12-31のように入力してください。`,
  'template.datetime_form': ({ local }) => `日時は${local}または2026-12-31T14:30のように入力してください。`,
  'template.boolean_form': ({ yes, no }) => `${yes}と${no}も使えます。`,
  'template.value': ({ field, record, example }) =>
    `レコード（${record}）の${field}${example === undefined ? '' : `（例：${example}）`}。`,
  'template.stored': 'そのレコードはあらかじめ保存されている必要があります。',
  'template.stored_or_above': 'そのレコードは、あらかじめ保存されているか、これより上の行にある必要があります。',
  'template.of_sheet': ({ sheet }) =>
    `そのレコードは、シート"${sheet}"にあるか、あらかじめ保存されている必要があります。`,
  'template.several': ({ separator }) =>
    `複数ある場合は"${separator}"で区切ります。ここに書いたものだけがレコードに関連付けられます。`,
  'template.records': '項目ごとにオブジェクトを1つ持つJSONのリスト。空のセルは、保存済みのリストを変更しません。',
  'template.deletes': ({ words }) =>
    `${or(words.map(quote))}と入力した行は、そのレコードを削除します。ほかのセルは、レコードを特定するものだけが使われます。`,
  'template.update_create': ({ fields }) => `${fields}が一致するレコードがあれば更新し、なければ新しく作成します。`,
  'template.update_skip': ({ fields }) => `${fields}が一致するレコードがあれば更新し、なければその行をスキップします。`,
  'template.update_fail': ({ fields }) => `${fields}が一致するレコードを更新します。そのレコードがあらかじめ必要です。`,
  'template.skip_create': ({ fields }) => `${fields}が一致するレコードがあれば変更せず、なければ新しく作成します。`,
  'template.skip_skip': ({ fields }) => `${fields}が一致するレコードがあれば変更せず、なければその行をスキップします。`,
  'template.skip_fail': ({ fields }) => `${fields}が一致するレコードは変更しません。そのレコードがあらかじめ必要です。`,
  'template.fail_create': ({ fields }) =>
    `新しいレコードを作成します。${fields}が一致するレコードがすでにあってはいけません。`,
  'template.fail_skip': ({ fields }) =>
    `${fields}が一致するレコードがすでにあってはいけません。なければ、その行をスキップします。`,
  'template.fail_fail': ({ fields }) =>
    `${fields}が一致するレコードがある行でできるのは、そのレコードの削除だけです。それ以外の行はエラーになります。`,
  'template.example_row': 'この行は例です。上書きするか削除してください。そのままでは取り込まれません。',
  'template.guide': '記入方法',
  'template.guide_sheet': 'シート',
  'template.guide_column': '列',
  'template.guide_rule': '入力する値',
  'template.guide_example': '例',
  'template.guide_choices': '選べる値',
  'template.more_choices': ({ choices, more }) => `${choices}、ほか${count(more)}件`,
  'template.edit_id': 'ID(変更しないでください)',
  'template.edit_id_note': 'この行のレコードを特定します。新しいレコードでは空のままにしてください。',
  'template.edit_mark': '削除しますか？',
  'template.edit_mark_other': 'このレコードを削除しますか？',
  'template.edit_mark_note': ({ yes }) =>
    `この行のレコードを削除するには「${yes}」を選択してください。この行に他の変更があると、エラーになります。`,
  'template.edit_guide': '編集方法',
  'template.edit_change': '値を変更するには、セルを上書きしてください。ほかのセルは保存済みの値のままです。',
  'template.edit_add': ({ id }) => `レコードを追加するには、新しい行を入力し、"${id}"を空のままにしてください。`,
  'template.edit_delete': ({ yes, mark }) => `レコードを削除するには、列"${mark}"で"${yes}"を選んでください。`,
  'template.edit_keep': 'このファイルから行を取り除いても、そのレコードは変わりません。',
  'template.edit_read_only': '灰色の列は読み取り専用です。',
  'template.edit_arrange': ({ id }) =>
    `行の並べ替えと絞り込み、列の移動はできます。見出しと"${id}"は変更しないでください。`,
  'template.edit_send':
    '最後にこのファイルをインポートしてください。エラーのある行は、エラーを示すファイルで返されます。',
  'template.read_only': 'この列は閲覧専用です。変更しても無視されます。',
  'too_many_rows.edit': ({ rows, max }) =>
    `編集用ファイルのレコードは最大${max}件ですが、${rows}件あります。フィルターで絞り込んでください。`,
  'invalid_edit_file.damaged': 'このファイルの非表示シートが壊れています。レコードをもう一度エクスポートしてください。',
  'invalid_edit_file.other_records':
    'このファイルは別のレコードからエクスポートされました。そちらでインポートしてください。',
  'invalid_edit_file.no_ids': ({ column }) => `各行のレコードを特定する列「${column}」を持つシートがありません。`,
  'invalid_edit_file.renamed': ({ columns, others }) =>
    `列${and(columns.map(quote))}は不明で、${and(others.map(quote))}がありません。列の見出しを元に戻してください。`,
  'invalid_edit_file.replace':
    '編集済みファイルは個々のレコードを変更するため、全体の置き換えはできません。append_data=true を送信してください。',
  'invalid_edit_file.no_import':
    'このリソースのファイルは編集できません。レコードを更新するブックのインポートと、1 列の主キーが必要です。',
  'invalid_edit_file.format': '編集用ファイルはブックです。「xlsx」を送信してください。',
  'invalid_edit_file.own_columns': '編集用ファイルの列と行はインポートと同じです。この項目は省略してください。',
  'invalid_edit_file.marked': ({ rows, column }) =>
    `${count(rows)}行に削除の印があります。レコードを削除するには delete_marked=true を送信してください。削除しない場合は列「${column}」を空にしてください。`,
  'invalid_edit_file.no_delete': ({ column }) =>
    `このリソースではレコードを削除できません。列「${column}」を空にしてください。`,
  'invalid.no_new_rows': 'このインポートはレコードを追加しません。この行を削除してください。',
  not_written: 'このセルは編集されましたが、書き込まれません。変更する権限がないか、インポートの対象ではありません。',
  'invalid_edit_file.two_sheets': ({ names }) =>
    `シート${and(names.map(quote))}の両方に ID があります。不要な方を削除してください。`,
  'invalid_edit_file.no_base':
    'このファイルには非表示シートがないため、何が編集されたか分かりません。レコードをもう一度エクスポートしてください。すべての行をそのままインポートするには、ID の列を削除してください。',
  'invalid.no_result': 'この数式には結果がありません。表計算プログラムでファイルを開いて保存してください。',
  'invalid_edit_file.not_editable': 'このインポートは保存済みのレコードを変更しないため、ファイルを編集できません。',
  'does_not_exist.edited_id': ({ id }) =>
    `このファイルには ID ${id} のレコードがありません。新しいレコードの ID は空のままにしてください。`,
  'does_not_exist.edited': 'このレコードはもう存在しないか、閲覧する権限がありません。',
  'repeated.id': '別の行に同じ ID があります。新しい行の ID を消してください。',
  'invalid.not_whole': 'このファイルにはこのセルの値全体が含まれていないため、ここでは変更できません。',
  'invalid.mark': ({ yes }) =>
    `このレコードを削除するには「${yes}」と入力してください。削除しない場合はセルを空にしてください。`,
  'conflict.edited': ({ before, now, yours }) =>
    `エクスポート後にこの値が変更されました。${before}だった値は現在${now}です。入力された値は${yours}です。`,
  'conflict.marked': ({ columns }) =>
    `この行には削除の印がありますが、レコードはエクスポート後に変更されています${columns.length === 0 ? '' : `：${and(columns.map(quote))}`}。`,
  'repeated.marked': '別の行に同じ ID があるため、レコードは削除されませんでした。どちらかの行を取り除いてください。',
  'failed_rows.errors': 'エラー',
  'failed_rows.import_errors': 'インポートエラー',
  'failed_rows.left_out': ({ columns }) =>
    `このファイルには機密の列${and(columns.map(quote))}がありません。保存済みの値はそのままです。列を追加し直さないと、新しいレコードには値が入りません。`,
  'pdf.page': ({ page, pages }) => `${page} / ${pages}`,
  'pdf.rows': ({ rows }) => `行数：${rows}`,
  'pdf.filters': ({ filters }) => `絞り込み：${filters}`,
  'pdf.missing': ({ sign }) => `${sign}は、このファイルのどのフォントにもない文字です。データには含まれています。`,
  'pdf.utc': '時刻はUTCです',
  'pdf.yes': 'はい',
  'pdf.no': 'いいえ',
  'root.resources': 'リソース',
  'root.records': ({ records }) => `${count(records)}件`,
  'root.no_resources': '表示できる一覧はありません。',
  'root.anonymous': 'サインインしていません。サインインが必要な一覧は表示されません。',
  'root.allowed': '閲覧できる一覧だけを表示しています。',
  'root.json': 'プログラムはこのアドレスでJSONを取得します：',
  'root.descriptions': '説明',
  'root.reference': 'リファレンス',
  'root.document': 'OpenAPIドキュメント',
  'root.schema': 'スキーマ',
}

const FOUND = {
  nothing: '何も送信されていません',
  null: 'nullが送信されました',
  array: 'リストが送信されました',
  object: 'オブジェクトが送信されました',
  string: 'テキストが送信されました',
  number: '数値が送信されました',
  boolean: '真偽値が送信されました',
} as const

function count(number: number): string {
  return number.toLocaleString('ja-JP')
}

function and(items: readonly string[]): string {
  return items.join('、')
}

function or(items: readonly string[]): string {
  const last = items.at(-1) ?? ''
  return items.length < 2 ? last : `${items.slice(0, -1).join('、')}または${last}`
}

function listed(items: readonly string[], more: number): string {
  return more > 0 ? `${items.join('、')}、ほか${count(more)}件` : items.join('、')
}

function rowsOf(failed: number, of: number): string {
  return `${count(of)}行中${count(failed)}行`
}
