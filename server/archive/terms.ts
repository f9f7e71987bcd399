import 'server-only';
import { toColumn } from '@/server/archive/codec';
import { type RecordDocument } from '@/server/archive/documents';

/** Longer than any name of an object and than most images; what is longer is found by its beginning. */
const TERM_CHARS_MAX = 64;

/** A cause or summary may be pages long; its first words say what it is about. */
const TEXT_CHARS_MAX = 4_096;

/** Terms of images alone stand under this, which no word can begin with. */
const IMAGE = ' image ';

/** Every term of a record: it is found by any beginning of any of them. Sorted, each once. */
export function termsOf(record: RecordDocument): string[] {
  const { workload, images, cause, summary, actor } = record;
  const words = [workload.name, workload.namespace, workload.resource, workload.kind, summary];
  if (cause !== null) words.push(cause);
  if (actor !== null) words.push(actor.name, actor.manager ?? '');
  const ofImages = images.flatMap(({ image }) => termsOfText(image));
  const all = [...words.flatMap(termsOfText), ...ofImages, ...ofImages.map((term) => IMAGE + term)];
  return [...new Set(all)].sort();
}

/** A word that was searched for, as terms begin; empty where there is nothing in it to search for. */
export function prefixOfWord(word: string): string {
  return cut(trimmed(lowered(word)));
}

/** The same for a part of an image's name. */
export function prefixOfImage(image: string): string {
  const prefix = prefixOfWord(image);
  return prefix === '' ? '' : IMAGE + prefix;
}

/** Words, and what follows a separator inside of them: `registry/cart:1.2` is also found as `cart:1.2` and `1.2`. */
function termsOfText(text: string): string[] {
  const terms: string[] = [];
  for (const raw of lowered(text.slice(0, TEXT_CHARS_MAX)).split(SPACE)) {
    const word = trimmed(raw);
    if (word === '') continue;
    terms.push(cut(word));
    for (const { index } of word.matchAll(PART)) {
      const part = trimmed(word.slice(index + 1));
      if (part !== '') terms.push(cut(part));
    }
  }
  return terms;
}

const SPACE = /[\s\p{C}]+/u;
const PART = /[/:@=_-](?=[\p{L}\p{N}])/gu;
const EDGE = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;

function lowered(text: string): string {
  return toColumn(text.normalize('NFC').toLowerCase());
}

function trimmed(word: string): string {
  return word.replace(EDGE, '');
}

/** By whole characters: half of a pair is none that a database takes. */
function cut(word: string): string {
  return word.length <= TERM_CHARS_MAX
    ? word
    : toColumn(word.slice(0, TERM_CHARS_MAX)).replace(/\uFFFD$/u, '');
}
