/** One shell word: quoted parts, command substitutions and plain characters. A quote left open runs to the end. */
export const WORD = /(?:"(?:\\[^]|[^"\\])*"|'[^']*'|\$\([^()]*\)|\\[^]|[^\s"'&;|<>\\])+|["'][^]*/y;

/** A word of a command line, by its position in the text. */
export interface Word {
  from: number;
  to: number;
  /** Without quotes around it. */
  text: string;
}

/** Of a command that is longer the rest is not read. */
const COMMAND_CHARS_MAX = 1_000;

/** The words of a command line that begins here, to its end; no more than `most`. */
export function wordsFrom(whole: string, from: number, most: number): Word[] {
  const words: Word[] = [];
  const text = whole.slice(from, from + COMMAND_CHARS_MAX);
  let at = 0;
  while (words.length < most) {
    // A line that ends with a backslash continues.
    while (text[at] === ' ' || text[at] === '\t' || (text[at] === '\\' && text[at + 1] === '\n'))
      at += text[at] === '\\' ? 2 : 1;
    WORD.lastIndex = at;
    const [found] = WORD.exec(text) ?? [];
    const isCut = text.length === COMMAND_CHARS_MAX && WORD.lastIndex === text.length;
    if (found === undefined || isCut) break;
    words.push(wordAt(from + at, found));
    at += found.length;
  }
  return words;
}

function wordAt(at: number, found: string): Word {
  const [inner, quote] = unquoted(found);
  return { from: at + quote.length, to: at + found.length - quote.length, text: inner };
}

/** Also of quotes that are escaped, as those in a text in a text are. */
export function unquoted(word: string): [inner: string, quote: string] {
  const match = /^(\\{0,7}["'])([^]*)\1$/.exec(word);
  return match === null ? [word, ''] : [match[2] ?? '', match[1] ?? ''];
}

/** Whether the shell reads the value from elsewhere: a variable, or a file. */
export function isReadElsewhere(word: string): boolean {
  return /^\$\(cat \/[\w./-]+\)$/.test(word) || /^\$(?:[A-Z_][A-Z0-9_]*|\{[A-Za-z_][\w.]*\})$/.test(word);
}
