import { generate } from 'selfsigned';

/** PEM texts. The certificate is its own authority. */
interface ServerCertificate {
  readonly key: string;
  readonly cert: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** A new key on P-256 with a self-signed certificate for localhost, 127.0.0.1 and ::1, valid for ten years. */
export async function issueLoopbackCertificate(): Promise<ServerCertificate> {
  const now = Date.now();
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'Shiplog sandbox' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    // A day back, since clocks differ.
    notBeforeDate: new Date(now - DAY_MS),
    notAfterDate: new Date(now + 3650 * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });

  return { key, cert };
}
