/** Letters of other scripts that look like Latin ones, each above the letter that it stands for. */
const LOOKALIKES = 'аеорсухіјѕԁһԛԝӏАВЕКМНОРСТУХІЈЅоαορνικΑΒΕΖΗΙΚΜΝΟΡΤΥΧɡıᴀᴇᴏѡꜱ';
const LATIN = 'aeopcyxijsdhqwlABEKMHOPCTYXIJSoaopvikABEZHIKMNOPTYXgiaeows';

const latinOf = new Map([...LOOKALIKES].map((letter, index) => [letter, LATIN[index] ?? letter]));

/** Characters without width, which a reader does not see. */
const INVISIBLE =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2060-\u2064\u206a-\u206f\u3164\ufe00-\ufe0f\ufeff]/g;

/** A word in which a character is not of ASCII, up to the sign that follows a name. */
const FOREIGN_WORD = /(?<![\w.-])[\w.-]*[^\x00-\x7f][^\s"'`,;{}[\]()<>]*/g;

/** Whether there is anything to fold: nearly all texts are of ASCII. */
const FOREIGN = /[^\x00-\x7f]/;

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
