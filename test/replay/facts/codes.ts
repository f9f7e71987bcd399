import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Turns the sentences of the product into codes, by `reason-codes.txt`: a code and the text that stands for it, a row
 * each, the first that matches. In a text `#` is a number and `*` anything. A reworded sentence changes its row there.
 */
const rows = readFileSync(join(import.meta.dirname, 'reason-codes.txt'), 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '' && !line.startsWith('//'))
  .map((line) => {
    const colon = line.indexOf(': ');
    return { code: line.slice(0, colon), pattern: patternOf(line.slice(colon + 2).trim()) };
  });

const known = new Map<string, string>();
/** Sentences of which no row tells. */
export const unknownSentences = new Set<string>();

function patternOf(text: string): RegExp {
  const literal = text.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${literal.replaceAll('*', '.*')}$`, 'is');
}

/** The code of one sentence. */
export function codeOf(sentence: string): string {
  const text = sentence.replaceAll(/\d+(\.\d+)?/g, '#').replace(/\.$/, '');
  const before = known.get(text);
  if (before !== undefined) return before;
  const code = rows.find(({ pattern }) => pattern.test(text))?.code ?? `? ${text}`;
  if (code.startsWith('?')) unknownSentences.add(text);
  known.set(text, code);
  return code;
}

/** The codes of several, each once. */
export function codesOf(sentences: readonly string[]): string {
  return [...new Set(sentences.map(codeOf))].join(' ');
}
