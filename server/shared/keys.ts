import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '@/server/shared/config-error';
import { commonNames, CredentialNames } from '@/server/shared/masking/credential-name';
import { Mask } from '@/server/shared/mask';

const KEY_BYTES = 32;

/** What is masked besides the common credentials. */
export interface MaskRules {
  /** Custom names of credentials. */
  readonly names?: readonly string[];
  readonly hidesEnv?: boolean;
}

/**
 * Keyed hashes that leave the server. Unkeyed ones would let a reader guess a masked value by trying. The key
 * lives in the data directory, mode 0600, so that `seen` values survive a restart.
 */
export class Keys {
  readonly #key: KeyObject;
  /** Makes what may leave the server; its markers are keyed too. */
  readonly mask: Mask;

  constructor(key: Buffer, { names = [], hidesEnv = false }: MaskRules = {}) {
    this.mask = new Mask({
      marker: (value) => this.marker(value),
      names: names.length === 0 ? commonNames : new CredentialNames(names),
      hidesEnv,
    });
    // Created once: from the bytes, each hash would create a key object, which takes seven times as long as
    // the hash.
    this.#key = createSecretKey(key);
  }

  /** Reads the key of the data directory, or creates one at the first start. */
  static load(dataDir: string, rules: MaskRules = {}): Keys {
    const path = join(dataDir, 'key');
    const key = readKey(path) ?? makeKey(dataDir, path);
    if (key.length >= KEY_BYTES) return new Keys(key, rules);
    throw new ConfigError([
      `The key file ${path} has ${key.length} bytes and needs ${KEY_BYTES}: it is truncated, perhaps because the disk was full. Restore it from a backup, or delete it and Shiplog creates a new one.`,
    ]);
  }

  /** Identifies what a viewer saw: cluster, uid and the unmasked template, given by the hash of its text. */
  preconditionToken(cluster: string, uid: string, bodyId: string): string {
    return this.#hmac('seen', cluster, uid, bodyId);
  }

  /** `[masked:<8 hex digits>]`: equal values give equal markers, so a diff still shows that one changed. */
  marker(value: string): string {
    const hex = createHmac('sha256', this.#key).update('mask\0').update(value).digest('hex');
    return `[masked:${hex.slice(0, 8)}]`;
  }

  /**
   * Identifies a template, given by the hash of its text: equal templates have equal values, and nothing else
   * shows.
   */
  template(hash: string): string {
    return this.#hmac('template', hash).slice(0, 22);
  }

  /** Identifies the writer with this key among other instances of Shiplog; of letters and digits. */
  get id(): string {
    return createHmac('sha256', this.#key).update('id').digest('hex').slice(0, 16);
  }

  /** Encrypts sessions where no secret is configured for that. */
  get sessionSecret(): Buffer {
    return createHmac('sha256', this.#key).update('session').digest();
  }

  /** Opaque, tamper-evident text for cursors. */
  sign(text: string): string {
    return this.#hmac('sign', text).slice(0, 22);
  }

  #hmac(...parts: string[]): string {
    const hmac = createHmac('sha256', this.#key);
    for (const part of parts) hmac.update(`${part.length}:${part}`);
    return hmac.digest('base64url');
  }
}

/** Undefined where there is none yet. */
export function readKey(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/**
 * The file gets its name once it is complete and on disk; of two first starts at once, both use the one that
 * existed first.
 */
export function makeKey(dataDir: string, path: string, key: Buffer = randomBytes(KEY_BYTES)): Buffer {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFully(draft, key);
    linkSync(draft, path);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(path);
}

function writeFully(path: string, bytes: Buffer): void {
  const fd = openSync(path, 'wx', 0o600);
  try {
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
