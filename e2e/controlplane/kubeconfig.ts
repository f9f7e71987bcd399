import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';

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

interface Kubeconfig {
  'current-context': string;
  clusters: { name: string; cluster: { server: string } }[];
  contexts: { name: string; context: { cluster: string; user: string } }[];
  users: { name: string; user: { token?: string } }[];
}

/** Writes the same kubeconfig for another address of the server. */
export function rewriteServer(from: string, to: string, server: string): void {
  const config = parse(readFileSync(from, 'utf8')) as Kubeconfig;
  const clusters = config.clusters.map((entry) => ({ ...entry, cluster: { ...entry.cluster, server } }));
  writeFileSync(to, JSON.stringify({ ...config, clusters }, null, 2), { mode: 0o600 });
}

/** The bearer token of the current context; undefined with another authentication. */
export function tokenIn(file: string): string | undefined {
  const config = parse(readFileSync(file, 'utf8')) as Kubeconfig;
  const context = config.contexts.find(({ name }) => name === config['current-context'])?.context;

  return config.users.find(({ name }) => name === context?.user)?.user.token;
}
