import { createHash } from 'node:crypto';
import type { FieldSet } from '@/sandbox/api/field-set';
import type { ObjectStore } from '@/sandbox/api/object-store';
import type { KindTable, ResourceKind } from '@/sandbox/api/objects/resource-kind';

/** What every operation works on. */
export interface ApiCore {
  readonly store: ObjectStore;
  readonly kinds: KindTable;
  readonly ids: IdSource;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Removes what the last write left without an owner; called after every write. */
  collectGarbage(): void;
}

/** Where an object is; the namespace is empty for cluster scope, the name for a collection. */
export interface ObjectPlace {
  readonly kind: ResourceKind;
  readonly namespace: string;
  readonly name: string;
}

/** The user who writes, and how. */
export interface WriteOptions {
  /** Field manager, as in `metadata.managedFields`. */
  readonly manager: string;
  /** Validated in full and answered, but not stored. */
  readonly dryRun: boolean;
  /** Version of the group that the client uses. */
  readonly version: string;
  /** What to do about fields that the kind does not have. */
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
  /** A patch that makes an object unreadable is answered with another code than such an object. */
  readonly isPatch?: boolean;
  /** The fields of the configuration, if it applies one. */
  readonly applied?: FieldSet;
  /** Empty for the object itself. */
  readonly subresource: '' | 'status' | 'scale' | 'binding';
  /** Receives warnings: what the writer should know although it is no error. */
  readonly warn?: (text: string) => void;
}

export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

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
    const letters = [...this.#next().subarray(0, SUFFIX_LENGTH)];
    return letters.map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  }

  #next(): Buffer {
    this.#count += 1;
    return createHash('sha256').update(`${this.#seed}:${this.#count}`).digest();
  }
}
