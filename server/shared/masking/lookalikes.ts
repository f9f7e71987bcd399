/** Letters of other scripts that look like Latin ones, each above the letter that it stands for. */
const LOOKALIKES = 'аеорсухіјѕԁһԛԝӏАВЕКМНОРСТУХІЈЅоαορνικΑΒΕΖΗΙΚΜΝΟΡΤΥΧɡıᴀᴇᴏѡꜱ';
const LATIN = 'aeopcyxijsdhqwlABEKMHOPCTYXIJSoaopvikABEZHIKMNOPTYXgiaeows';

const latinOf = new Map([...LOOKALIKES].map((letter, index) => [letter, LATIN[index] ?? letter]));

/** Characters without width, which a reader does not see. */
const INVISIBLE = /[\p{Cf}\p{Mn}\u115f\u1160\u3164]/gu;

/**
 * Scripts whose letters look like Latin ones, letters in other forms, and characters without width; not arrows, quotes
 * and dashes, which our own sentences have.
 */
const LOOKALIKE_SIGN = String.raw`[\u00ad\u0131\u0261\u061c\u115f\u1160\u3164\u0370-\u058f\u13a0-\u13ff\u1d00-\u1dbf\u200b-\u200f\u2060-\u206f\u2100-\u214f\u2460-\u24ff\u2c60-\u2c7f\ua720-\ua7ff\ud835\uff00-\uffef\ufeff]|[\u0300-\u036f]|[\u17b4-\u17b5]|[\u180b-\u180e]|[\ufe00-\ufe0f]`;

const FOREIGN = new RegExp(LOOKALIKE_SIGN);

/** Whether there is anything to fold: nearly all texts have nothing. */
export function hasLookalike(text: string): boolean {
  return FOREIGN.test(text);
}

/** A word with one of them, up to the sign that follows a name. */
const FOREIGN_WORD = new RegExp(String.raw`(?<![\w.-])[\w.-]*[^\x00-\x7f][^\s"'\x60,;{}[\]()<>]*`, 'g');

/** The name as a reader sees it: without invisible characters, and in Latin letters. */
export function foldName(name: string): string {
  if (!FOREIGN.test(name)) return name;
  const visible = name.normalize('NFKC').replace(INVISIBLE, '');
  let folded = '';
  for (const letter of visible) folded += latinOf.get(letter) ?? letter;
  return folded;
}

/** The text, where words that only look like the name of a credential are that name. */
export function foldNames(text: string, isName: (name: string) => boolean): string {
  if (!FOREIGN.test(text)) return text;
  return text.replace(FOREIGN_WORD, (word) => {
    const [sign = ''] = /[=:＝：].*$/s.exec(word) ?? [];
    const name = word.slice(0, word.length - sign.length);
    const folded = foldName(name);
    if (folded === name && !/^[＝：]/.test(sign)) return word;
    if (!isName(folded)) return word;
    return folded + sign.replace(/^＝/, '=').replace(/^：/, ':');
  });
}
