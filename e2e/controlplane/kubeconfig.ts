import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type KubeconfigParts, kubeconfigText } from '@/sandbox/api/kubeconfig';

/** Writes a kubeconfig with one context named after the user. */
export function writeKubeconfig(file: string, parts: KubeconfigParts): void {
  writeFileSync(file, kubeconfigText(parts, 'shiplog-test', parts.user), { mode: 0o600 });
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
