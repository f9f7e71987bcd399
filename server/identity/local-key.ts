import 'server-only';
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { ConfigError } from '@/server/shared/config-error';
import { makeKey, readKey } from '@/server/shared/keys';

const KEY_CHARS = 43;

/**
 * What proves that a request comes from the user of this machine who started Shiplog: loopback is open to every process
 * and account of it. The key is a file that only they can read; deleting it signs out every browser at the next start.
 */
export class LocalKey {
  readonly #key: string;
  /** What a browser gets for the key: the key itself stays out of its cookies. */
  readonly cookie: string;

  private constructor(key: string) {
    this.#key = key;
    this.cookie = createHmac('sha256', key).update('cookie').digest('base64url');
  }

  /** Reads the key of the data directory, or creates one at the first start. */
  static load(dataDir: string): LocalKey {
    const path = join(dataDir, 'local-key');
    const bytes = readKey(path) ?? makeKey(dataDir, path, Buffer.from(`${newKey()}\n`));
    const key = bytes.toString('utf8').trim();
    if (key.length >= KEY_CHARS) return new LocalKey(key);
    throw new ConfigError([
      `The key file ${path} is truncated, perhaps because the disk was full. Delete it and Shiplog creates a new one.`,
    ]);
  }

  accepts(text: string): boolean {
    return isEqual(text, this.#key);
  }

  acceptsCookie(text: string): boolean {
    return isEqual(text, this.cookie);
  }
}

function newKey(): string {
  return randomBytes(32).toString('base64url');
}

/** Takes the same time wherever they differ. The length is no secret. */
function isEqual(a: string, b: string): boolean {
  const [bytes, otherBytes] = [Buffer.from(a), Buffer.from(b)];
  return bytes.length === otherBytes.length && timingSafeEqual(bytes, otherBytes);
}
