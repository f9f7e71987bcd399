import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Keyed hashes that leave the server. Unkeyed ones would let a reader guess a masked value by trying.
 * The key lives in the data directory, mode 0600, so that `seen` values survive a restart.
 */
export class Keys {
  readonly #key: KeyObject;

  constructor(key: Buffer) {
    // Made once: of the bytes, each hash makes one anew, which takes seven times as long as the hash.
    this.#key = createSecretKey(key);
  }

  /** Reads the key of the data directory, or makes one at the first start. */
  static load(dataDir: string): Keys {
    const path = join(dataDir, 'key');
    try {
      return new Keys(readFileSync(path));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(path, randomBytes(32), { mode: 0o600, flag: 'wx' });
    return new Keys(readFileSync(path));
  }

  /** Stands for what a viewer saw: cluster, uid and the unmasked template, given by the hash of its text. */
  seen(cluster: string, uid: string, bodyId: string): string {
    return this.#hmac('seen', cluster, uid, bodyId);
  }

  /** `[masked:<8 hex digits>]`: equal values give equal markers, so a diff still says that one changed. */
  marker(value: string): string {
    const hex = createHmac('sha256', this.#key).update('mask\0').update(value).digest('hex');
    return `[masked:${hex.slice(0, 8)}]`;
  }

  /** Stands for a template, given by the hash of its text: equal templates are seen to be equal, and no more. */
  template(hash: string): string {
    return this.#hmac('template', hash).slice(0, 22);
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
