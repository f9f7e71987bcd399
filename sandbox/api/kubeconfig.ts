import { generate } from 'selfsigned';

export interface KubeconfigParts {
  readonly server: string;
  /** PEM of the authority that signed the server's certificate. */
  readonly ca: string;
  readonly user: string;
  readonly token: string;
}

/** A kubeconfig with one context. It is JSON, and therefore YAML. */
export function kubeconfigText(
  { server, ca, user, token }: KubeconfigParts,
  cluster = 'sandbox',
  context = user === 'admin' ? cluster : `${cluster}-${user}`,
): string {
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': context,
    clusters: [
      {
        name: cluster,
        cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') },
      },
    ],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: context, context: { cluster, user } }],
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

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
