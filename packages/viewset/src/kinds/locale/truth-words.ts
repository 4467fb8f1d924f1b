/** Yes and no in each language. The first word is the one that spreadsheets write. */
const WORDS: Readonly<Record<string, readonly [yes: readonly string[], no: readonly string[]]>> = {
  bg: [
    ['истина', 'да'],
    ['лъжа', 'не'],
  ],
  cs: [
    ['pravda', 'ano'],
    ['nepravda', 'ne'],
  ],
  da: [
    ['sand', 'ja'],
    ['falsk', 'nej'],
  ],
  de: [
    ['wahr', 'ja'],
    ['falsch', 'nein'],
  ],
  el: [
    ['αληθές', 'ναι'],
    ['ψευδές', 'όχι'],
  ],
  es: [
    ['verdadero', 'sí'],
    ['falso', 'no'],
  ],
  et: [
    ['tõene', 'jah'],
    ['väär', 'ei'],
  ],
  fi: [
    ['tosi', 'kyllä'],
    ['epätosi', 'ei'],
  ],
  fr: [
    ['vrai', 'oui'],
    ['faux', 'non'],
  ],
  hr: [
    ['istina', 'da'],
    ['laž', 'ne'],
  ],
  hu: [
    ['igaz', 'igen'],
    ['hamis', 'nem'],
  ],
  it: [
    ['vero', 'sì'],
    ['falso', 'no'],
  ],
  lt: [['taip'], ['ne']],
  lv: [['jā'], ['nē']],
  nb: [
    ['sann', 'ja'],
    ['usann', 'nei'],
  ],
  nl: [
    ['waar', 'ja'],
    ['onwaar', 'nee'],
  ],
  nn: [
    ['sann', 'ja'],
    ['usann', 'nei'],
  ],
  no: [
    ['sann', 'ja'],
    ['usann', 'nei'],
  ],
  pl: [
    ['prawda', 'tak'],
    ['fałsz', 'nie'],
  ],
  pt: [
    ['verdadeiro', 'sim'],
    ['falso', 'não'],
  ],
  ro: [
    ['adevărat', 'da'],
    ['fals', 'nu'],
  ],
  ru: [
    ['истина', 'да'],
    ['ложь', 'нет'],
  ],
  sk: [
    ['pravda', 'áno'],
    ['nepravda', 'nie'],
  ],
  sl: [
    ['resnično', 'da'],
    ['neresnično', 'ne'],
  ],
  sv: [
    ['sant', 'ja'],
    ['falskt', 'nej'],
  ],
  tr: [
    ['doğru', 'evet'],
    ['yanlış', 'hayır'],
  ],
  uk: [
    ['істина', 'так'],
    ['хибність', 'ні'],
  ],
}

export function truthWords(language: string): readonly [yes: readonly string[], no: readonly string[]] {
  return WORDS[language] ?? [[], []]
}
