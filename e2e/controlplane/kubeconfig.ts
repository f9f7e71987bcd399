import { writeFileSync } from 'node:fs';

export interface KubeconfigParts {
  server: string;
  /** PEM of the authority that the server's certificate is checked against. */
  ca: string;
  user: string;
  token: string;
}

/** Writes a kubeconfig with one context named after the user. JSON is YAML. */
export function writeKubeconfig(file: string, { server, ca, user, token }: KubeconfigParts): void {
  const cluster = 'shiplog-test';
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': user,
    clusters: [
      {
        name: cluster,
        cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') },
      },
    ],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: user, context: { cluster, user } }],
  };
  writeFileSync(file, JSON.stringify(content, null, 2), { mode: 0o600 });
}
