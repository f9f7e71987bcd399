import 'server-only';
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** As hard to guess as a key of AES-128. */
const CHECKSUM_BYTES = 16;

interface SealKey {
  id: string;
  key: Buffer;
  /** Of checksums. */
  signing: Buffer;
}

/**
 * Encrypts what the archive has of sessions, so that a copy of the archive signs no one in, and signs what browsers have
 * of them. The first secret encrypts and signs; every secret decrypts and verifies, so that one can be replaced without
 * ending a session.
 * https://nodejs.org/api/crypto.html#ccm-mode (AES-256-GCM, as for CCM: a nonce is never used twice)
 */
export class Seal {
  readonly #keys: readonly SealKey[];

  constructor(secrets: readonly (string | Buffer)[]) {
    this.#keys = secrets.map((secret) => {
      const derive = (use: string) => Buffer.from(hkdfSync('sha256', secret, '', use, 32));
      const key = derive('shiplog session');
      const id = createHash('sha256').update(key).digest('hex').slice(0, 8);
      return { id, key, signing: derive('shiplog session cookie') };
    });
  }

  seal(text: string): string {
    const first = this.#first;
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

  /** The text, a dot, and a keyed checksum of it: whoever has no secret cannot make one. */
  sign(text: string): string {
    return `${text}.${checksumOf(text, this.#first).toString('base64url')}`;
  }

  /** The text of a signed one; undefined where no secret has signed it. */
  verify(signed: string): string | undefined {
    const [, text = '', checksum = ''] = /^(.*)\.([\w-]+)$/.exec(signed) ?? [];
    const given = Buffer.from(checksum, 'base64url');
    const isGenuine = this.#keys.some((each) => isSame(given, checksumOf(text, each)));
    return isGenuine ? text : undefined;
  }

  get #first(): SealKey {
    const [first] = this.#keys;
    if (first === undefined) throw new Error('A seal needs a secret.');
    return first;
  }
}

function checksumOf(text: string, { signing }: SealKey): Buffer {
  return createHmac('sha256', signing).update(text).digest().subarray(0, CHECKSUM_BYTES);
}

/** Takes the same time wherever they differ. */
function isSame(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
