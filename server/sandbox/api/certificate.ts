import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** PEM texts. The certificate is its own authority. */
export interface ServerCertificate {
  readonly key: string;
  readonly cert: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const ECDSA_WITH_SHA256 = oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]);
const COMMON_NAME = oid([0x55, 0x04, 0x03]);
const BASIC_CONSTRAINTS = oid([0x55, 0x1d, 0x13]);
const SUBJECT_ALTERNATIVE_NAME = oid([0x55, 0x1d, 0x11]);

/**
 * A new key on P-256 with a self-signed certificate for localhost, 127.0.0.1 and ::1, valid for ten years. Node
 * reads certificates but issues none. https://www.rfc-editor.org/rfc/rfc5280#section-4.1
 */
export function issueLoopbackCertificate(): ServerCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(COMMON_NAME, der(0x0c, Buffer.from('Shiplog sandbox')))));
  const algorithm = sequence(ECDSA_WITH_SHA256);
  const now = Date.now();
  const body = sequence(
    der(0xa0, integer(Buffer.of(2))),
    integer(randomBytes(16)),
    algorithm,
    name,
    // A day back, for clocks that differ.
    sequence(time(now - DAY_MS), time(now + 3650 * DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(authorityExtension(), namesExtension())),
  );
  const signature = der(0x03, Buffer.of(0), sign('sha256', body, privateKey));
  const certificate = sequence(body, algorithm, signature).toString('base64');

  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.replace(/(.{64})/g, '$1\n').trimEnd()}\n-----END CERTIFICATE-----\n`,
  };
}

function authorityExtension(): Buffer {
  const isAuthority = der(0x01, Buffer.of(0xff));

  return sequence(BASIC_CONSTRAINTS, isAuthority, der(0x04, sequence(isAuthority)));
}

function namesExtension(): Buffer {
  const dnsName = der(0x82, Buffer.from('localhost'));
  const addresses = [Buffer.of(127, 0, 0, 1), Buffer.concat([Buffer.alloc(15), Buffer.of(1)])];

  return sequence(
    SUBJECT_ALTERNATIVE_NAME,
    der(0x04, sequence(dnsName, ...addresses.map((address) => der(0x87, address)))),
  );
}

/** Tag, length, content. https://www.itu.int/rec/T-REC-X.690 */
function der(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const { length } = body;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];

  return Buffer.concat([Buffer.of(tag, ...size), body]);
}

function sequence(...items: Buffer[]): Buffer {
  return der(0x30, ...items);
}

function set(...items: Buffer[]): Buffer {
  return der(0x31, ...items);
}

function oid(bytes: number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}

/** Positive and without leading zeros, as the shortest form demands. */
function integer(bytes: Buffer): Buffer {
  const content = Buffer.from(bytes);
  content[0] = bytes.length === 1 ? (bytes[0] ?? 0) : ((bytes[0] ?? 0) & 0x7f) | 0x40;

  return der(0x02, content);
}

function time(ms: number): Buffer {
  return der(0x17, Buffer.from(`${new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14)}Z`));
}
