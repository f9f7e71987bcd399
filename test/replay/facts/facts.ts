import { hash } from 'node:crypto';
import { canonicalJson, type Json } from '@/lib/kube/json';

/**
 * What Shiplog says of one object at one moment, by member. The words are the judge's own: a name of the product may
 * change without them.
 */
export type Facts = Readonly<Record<string, string>>;

const HASH_CHARS = 4;
/** A longer text is known by its hash. */
const TEXT_CHARS_MAX = 24;

/** Only the members that have a value. */
export function factsFrom(members: Readonly<Record<string, string | null>>): Facts {
  const told = Object.entries(members).filter(([, value]) => value !== null && value !== '');
  return Object.fromEntries(told) as Facts;
}

export function shortHash(value: Json): string {
  return hash('sha1', canonicalJson(value)).slice(0, HASH_CHARS);
}

/** The value itself where it is short. */
export function shortValue(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > TEXT_CHARS_MAX ? shortHash(value) : text;
}

/** The parts that say something, with spaces between them. */
export function words(...parts: readonly (string | number | false | null | undefined)[]): string {
  return parts.filter((part) => part !== false && part != null && part !== '').join(' ');
}

/** A letter for each condition that holds: `{ T: true, L: false }` is "T". */
export function flags(conditions: Readonly<Record<string, boolean>>): string {
  return Object.keys(conditions)
    .filter((letter) => conditions[letter])
    .join('');
}

/** Seconds since the start of the input; empty where unknown. */
export function secondsAt(time: string | null | undefined, startMs: number): string {
  return time == null ? '' : String(Math.round((Date.parse(time) - startMs) / 1000));
}
