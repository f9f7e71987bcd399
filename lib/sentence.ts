/**
 * A sentence of Shiplog and the data put into it. Where it becomes an answer, only the data is masked: words of
 * ours, such as "token: is missing.", look like a credential to a reader that does not know whose they are.
 */
export interface Sentence {
  readonly words: readonly string[];
  readonly data: readonly (string | number | Sentence)[];
}

/** Tags a template: what stands in it is ours, what is put into it is data. */
export function sentence(words: TemplateStringsArray, ...data: Sentence['data']): Sentence {
  return { words, data };
}

/** A text that is ours completely. */
export function ownWords(text: string): Sentence {
  return { words: [text], data: [] };
}

/** The sentence as text, with each text of its data as `show` gives it. */
export function formatSentence({ words, data }: Sentence, show: (text: string) => string = String): string {
  return words.reduce((text, word, index) => {
    const value = data[index - 1] ?? '';
    const shown = typeof value === 'object' ? formatSentence(value, show) : show(String(value));
    return text + shown + word;
  });
}
