import 'server-only';
import { createHash } from 'node:crypto';
import { toColumn } from '@/server/archive/column-values';
import type { RecordDocument } from '@/server/archive/document-schemas';

/** Longer than any name of an object and than most images; longer terms are found by their beginning. */
const TERM_CHARS_MAX = 64;

/** A cause or summary may be pages long; its first words tell the subject. */
const TEXT_CHARS_MAX = 4_096;

/** The prefix of terms of images alone, with which no word can begin. */
const IMAGE = ' image ';

/** The prefix of terms that are people mentioned in comments, which no search finds either. */
const MENTION = ' mention ';

/** The term of records that mention a person, by the id of the person: of one length, whatever an id is like. */
export function mentionTerm(personId: string): string {
  return MENTION + createHash('sha256').update(personId).digest('base64url').slice(0, 22);
}

/** Matches every such term, and no other one. */
export const MENTION_TERMS = `${MENTION}%`;

/** Every term of a record, without those of its comments: a search finds it by the beginning of any of them. Sorted, each once. */
export function termsOf(record: RecordDocument): string[] {
  const { workload, images, cause, summary, actor } = record;
  const words = [workload.name, workload.namespace, workload.resource, workload.kind, summary];
  if (cause !== null) words.push(cause);
  if (actor !== null) words.push(actor.name, actor.manager ?? '');
  const ofImages = images.flatMap(({ image }) => termsOfText(image));
  const all = [...words.flatMap(termsOfText), ...ofImages, ...ofImages.map((term) => IMAGE + term)];
  return [...new Set(all)].sort();
}

/** The terms of a searched word; empty where there is nothing in it to search for. */
export function prefixOfWord(word: string): string {
  return truncate(trimPunctuation(normalize(word)));
}

/** The same for a segment of an image's name. */
export function prefixOfImage(image: string): string {
  const prefix = prefixOfWord(image);
  return prefix === '' ? '' : IMAGE + prefix;
}

/** Words, and what follows a separator inside of them: `registry/cart:1.2` is also found as `cart:1.2` and `1.2`. */
function termsOfText(text: string): string[] {
  const terms: string[] = [];
  for (const raw of normalize(text.slice(0, TEXT_CHARS_MAX)).split(SPACE)) {
    const word = trimPunctuation(raw);
    if (word === '') continue;
    terms.push(truncate(word));
    for (const { index } of word.matchAll(PART)) {
      const part = trimPunctuation(word.slice(index + 1));
      if (part !== '') terms.push(truncate(part));
    }
  }
  return terms;
}

const SPACE = /[\s\p{C}]+/u;
const PART = /[/:@=_-](?=[\p{L}\p{N}])/gu;
const EDGE = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;

function normalize(text: string): string {
  return toColumn(text.normalize('NFC').toLowerCase());
}

function trimPunctuation(word: string): string {
  return word.replace(EDGE, '');
}

/** By code points: databases reject half of a surrogate pair. */
function truncate(word: string): string {
  return word.length <= TERM_CHARS_MAX
    ? word
    : toColumn(word.slice(0, TERM_CHARS_MAX)).replace(/\uFFFD$/u, '');
}
