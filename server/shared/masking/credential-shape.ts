import { isReadableBase64 } from '@/server/shared/masking/base64-text';

/** Shorter ones are words, versions and numbers. */
export const RANDOM_CHARS_MIN = 20;

/** Longer ones are data, and not read for this. */
const RANDOM_CHARS_MAX = 512;

/** Digests, commits and UUIDs are random as well, but not secret. */
const HEX = /^[0-9a-f]+$/i;

/** Digests in base64, with the name of their algorithm. */
const DIGEST = /^(?:sha(?:1|224|256|384|512)|md5|h1)[-:=]/i;

/** A picture in a URL of its own, before its base64. */
const DATA_URL = /^data:[\w/+.-]{1,64};base64,/;

/**
 * The share of adjacent characters of different classes (lower case, upper case, digit): words have few of
 * them.
 */
const ALTERNATIONS_MIN = 0.38;
const DIGITS_MIN = 2;

/**
 * Whether the value of a variable resembles a generated secret, whatever the variable's name: text without
 * spaces in which lower case, upper case and digits alternate. Words, paths, hosts, images, digests, commits
 * and UUIDs do not.
 */
export function looksRandom(value: string): boolean {
  if (value.length < RANDOM_CHARS_MIN || value.length > RANDOM_CHARS_MAX || /\s/.test(value)) return false;
  if (DIGEST.test(value) || isReadableBase64(value.replace(DATA_URL, ''))) return false;
  const runs = value.split(/[^A-Za-z0-9+/_=-]+/);
  return runs.some((run) => isRandomRun(run.replace(/[+/_=-]/g, '')) && !isWords(run));
}

/** In base64 the signs in between are part of the value; in a path or a name they separate its words. */
function isWords(run: string): boolean {
  return run.split(/[+/_=-]+/).every((word) => word.length < RANDOM_CHARS_MIN && !isMixed(word));
}

function isRandomRun(run: string): boolean {
  if (run.length < RANDOM_CHARS_MIN || HEX.test(run)) return false;
  return isMixed(run);
}

function isMixed(text: string): boolean {
  const digits = text.replace(/\D/g, '').length;
  if (digits < DIGITS_MIN || digits === text.length || HEX.test(text)) return false;
  let alternations = 0;
  for (let at = 1; at < text.length; at += 1)
    if (classOf(text, at) !== classOf(text, at - 1)) alternations += 1;
  return alternations / (text.length - 1) >= ALTERNATIONS_MIN && text.length >= 8;
}

function classOf(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code <= 0x39 ? 0 : code <= 0x5a ? 1 : 2;
}
