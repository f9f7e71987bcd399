import 'server-only';
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface SealKey {
  id: string;
  key: Buffer;
}

/**
 * Encrypts what the archive has of sessions, so that a copy of the archive signs no one in. The first secret encrypts;
 * every secret decrypts, so that one can be replaced without ending a session.
 * https://nodejs.org/api/crypto.html#ccm-mode (AES-256-GCM, as for CCM: a nonce is never used twice)
 */
export class Seal {
  readonly #keys: readonly SealKey[];

  constructor(secrets: readonly (string | Buffer)[]) {
    this.#keys = secrets.map((secret) => {
      const key = Buffer.from(hkdfSync('sha256', secret, '', 'shiplog session', 32));
      return { id: createHash('sha256').update(key).digest('hex').slice(0, 8), key };
    });
  }

  seal(text: string): string {
    const [first] = this.#keys;
    if (first === undefined) throw new Error('A seal needs a secret.');
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', first.key, nonce);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return `${first.id}.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`;
  }

  /** Undefined for text that was changed, or sealed with a secret that is gone. */
  open(sealed: string): string | undefined {
    const [id, body = ''] = sealed.split('.');
    const known = this.#keys.find((each) => each.id === id);
    if (known === undefined) return undefined;
    const bytes = Buffer.from(body, 'base64url');
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    if (tag.length < TAG_BYTES) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', known.key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(tag);
    try {
      const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }
}
