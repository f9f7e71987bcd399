/** JSON; a member that is undefined is left out of the recorded object. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json | undefined;
}

export interface Metadata extends JsonObject {
  name: string;
  uid: string;
}

export interface KubeObject extends JsonObject {
  apiVersion: string;
  kind: string;
  metadata: Metadata;
}

/** What a generator plays: its objects now, and a change to them. */
export interface Play {
  change: () => void;
  render: () => KubeObject[];
}

/** How long ago things happened, in seconds: within, around, and past the deadlines. */
const AGES = [1, 3, 8, 25, 50, 90, 200, 400, 590, 640, 1_300, 4_000, 90_000, 900_000];

/** Those of hashes of templates. */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** One namespace with its own random numbers (mulberry32), identifiers, and clock. */
export class Scene {
  readonly namespace: string;
  /** Milliseconds since the epoch. */
  now = 0;
  #state: number;

  constructor(kind: string, index: number) {
    this.namespace = `s${String(index).padStart(4, '0')}`;
    this.#state = [...`${kind}/${index}`].reduce(
      (hash, letter) => Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01_00_01_93),
      0x81_1c_9d_c5,
    );
  }

  /** From 0 to less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0 to less than `end`. */
  int(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(percent: number): boolean {
    return this.next() * 100 < percent;
  }

  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    return list[this.int(list.length)] as T;
  }

  /** One of the keys, as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const keys = Object.keys(weights) as K[];
    let left = this.next() * keys.reduce((sum, key) => sum + weights[key], 0);
    return keys.find((key) => (left -= weights[key]) < 0) ?? this.pick(keys);
  }

  /** The value in so many percent of all cases, else nothing. */
  maybe<T>(percent: number, value: T): T | undefined {
    return this.chance(percent) ? value : undefined;
  }

  hash(length: number): string {
    let text = '';
    while (text.length < length) text += LETTERS.charAt(this.int(LETTERS.length));
    return text;
  }

  uid(): string {
    const part = () => this.int(0x1_00_00_00_00).toString(16).padStart(8, '0');
    const [second, third] = [part(), part()];
    return `${part()}-${second.slice(4)}-${second.slice(0, 4)}-${third.slice(4)}-${third.slice(0, 4)}${part()}`;
  }

  age(): number {
    return this.pick(AGES);
  }

  /** A moment so many seconds ago, in milliseconds. */
  ago(seconds: number): number {
    return this.now - seconds * 1_000;
  }

  meta(name: string, members: JsonObject & { at: number; uid?: string }): Metadata {
    const { at, uid = this.uid(), ...others } = members;
    return { name, namespace: this.namespace, uid, creationTimestamp: time(at), ...others };
  }
}

/** As the API server writes times; undefined stays so. */
export function time(ms: number): string;
export function time(ms: number | undefined): string | undefined;
export function time(ms: number | undefined): string | undefined {
  if (ms === undefined) return undefined;
  const known = times.get(ms);
  if (known !== undefined) return known;
  const text = `${new Date(ms).toISOString().slice(0, 19)}Z`;
  times.set(ms, text);
  return text;
}

/** Few moments are named again and again. */
const times = new Map<number, string>();

export function condition(
  type: string,
  status: Json,
  at: number,
  reason?: string,
  message?: string,
): JsonObject {
  return { type, status, reason, message, lastUpdateTime: time(at), lastTransitionTime: time(at) };
}

export function ownerOf(
  { apiVersion, kind, name }: { apiVersion: string; kind: string; name: string },
  uid: string,
): Json[] {
  return [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }];
}
