import { isUtf8 } from 'node:buffer';

/** Shorter ones hold nothing that is worth to be decoded. */
export const RUN_CHARS_MIN = 40;

/** A run of base64, of either alphabet, which may be wrapped: the lines after the first have nothing else. */
const RUN =
  /(?<![\w+/=-])[A-Za-z0-9+/_-]{40,}(?:\r?\n[ \t]*[A-Za-z0-9+/_-]{4,}(?=[ \t]*(?:\r?\n|$)|={1,2}))*={0,2}/g;

/** Digests, which base64 would decode to noise. */
const HEX = /^[0-9a-fA-F]+$/;

const UPPER = 1;
const LOWER = 2;
const OTHER = 4;

/** The class of each character of ASCII that base64 has; 0 for the others. */
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code);
  if (/[A-Z]/.test(sign)) return UPPER;
  if (/[a-z]/.test(sign)) return LOWER;
  return /[0-9+/_-]/.test(sign) ? OTHER : 0;
});

/** Lengths of runs of signs of base64. */
interface Runs {
  readonly longest: number;
  /** Of those with both capitals and small letters, as base64 of a text or a key has. */
  readonly mixed: number;
}

/** The longest runs. A search by pattern would read each sign many times. */
export function longestRuns(text: string): Runs {
  let longest = 0;
  let mixed = 0;
  let run = 0;
  let classes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const found = CLASSES[text.charCodeAt(at)] ?? 0;
    if (found === 0) {
      run = 0;
      classes = 0;
      continue;
    }
    run += 1;
    classes |= found;
    if (run > longest) longest = run;
    if (run > mixed && (classes & MIXED) === MIXED) mixed = run;
  }
  return { longest, mixed };
}

const MIXED = UPPER | LOWER;

/** What a run of base64 is. */
type Decoded =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'key' | 'picture' | 'binary' };

const binary: Decoded = { kind: 'binary' };

/** The first bytes of pictures, fonts, documents and archives. */
const MAGIC: readonly string[] = [
  ...['89504e47', 'ffd8ff', '47494638', '52494646', '424d', '00000100', '00000200', '25504446'],
  ...['774f4646', '774f4632', '00010000', '4f54544f', '0061736d', '4f676753', '494433', '667479'],
];

/** Two characters of BMP would also begin every 65,000th key. */
const MAGIC_BYTES_MIN = 3;

/** Keystores of Java begin so. */
const KEYSTORE = 'feedfeed';

/** Decodes a run that is base64 completely. */
function decodeBase64(run: string): Decoded {
  if (HEX.test(run)) return binary;
  const bytes = Buffer.from(run, 'base64');
  if (isPrivateKey(bytes)) return { kind: 'key' };
  const head = bytes.subarray(0, 8).toString('hex');
  if (MAGIC.some((magic) => magic.length >= 2 * MAGIC_BYTES_MIN && head.startsWith(magic)))
    return { kind: 'picture' };
  if (!isUtf8(bytes)) return binary;
  const text = bytes.toString('utf8');
  return isPrintable(text) ? { kind: 'text', text } : binary;
}

function isPrintable(text: string): boolean {
  return !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/.test(text);
}

/**
 * Whether it is a private key as bytes: a sequence of ASN.1 that begins with a version, which is a small
 * number. Certificates and public keys begin with another sequence.
 */
function isPrivateKey(bytes: Buffer): boolean {
  if (bytes.subarray(0, 4).toString('hex') === KEYSTORE) return true;
  if (bytes[0] !== 0x30) return false;
  const length = bytes[1] ?? 0;
  const at = length < 0x80 ? 2 : 2 + (length & 0x7f);
  return at <= 4 && bytes[at] === 0x02 && bytes[at + 1] === 0x01 && (bytes[at + 2] ?? 255) <= 3;
}

/** Whether the text is nothing but base64 of a picture or of text. */
export function isReadableBase64(text: string): boolean {
  if (!/^[A-Za-z0-9+/_-]{16,}={0,2}$/.test(text)) return false;
  const { kind } = decodeBase64(text);
  return kind === 'picture' || kind === 'text';
}

/** Replaces each run of base64 that holds a private key, or a text in which `holdsCredential` finds one. */
export function hideInBase64(
  text: string,
  holdsCredential: (decoded: string) => boolean,
  hide: (value: string) => string,
): string {
  return text.replace(RUN, (run) => {
    const decoded = decodeBase64(run.replace(/\s+/g, ''));
    if (decoded.kind === 'key') return hide(run);
    return decoded.kind === 'text' && holdsCredential(decoded.text) ? hide(run) : run;
  });
}
