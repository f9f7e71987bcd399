import { createHash } from 'node:crypto';

/**
 * Without vowels and the digits 0, 1 and 3, so that no words are formed.
 * https://github.com/kubernetes/apimachinery/blob/master/pkg/util/rand/rand.go
 */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;

/** Generates uids and name suffixes: the same for the same seed and the same number of earlier ones. */
export class IdSource {
  readonly #seed: string;
  #count = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** Number of generated ids; saved over restarts, so that none is issued twice. */
  get count(): number {
    return this.#count;
  }

  skipTo(count: number): void {
    this.#count = Math.max(this.#count, count);
  }

  /** A UUID of version 4. */
  uid(): string {
    const bytes = this.#next();
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;

    return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  /** The suffix for `metadata.generateName`. */
  suffix(): string {
    return [...this.#next().subarray(0, SUFFIX_LENGTH)]
      .map((byte) => ALPHABET[byte % ALPHABET.length])
      .join('');
  }

  #next(): Buffer {
    this.#count += 1;
    return createHash('sha256').update(`${this.#seed}:${this.#count}`).digest();
  }
}
