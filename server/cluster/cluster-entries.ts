import 'server-only';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AuthMode } from '@/lib/api/session';
import { messageOf } from '@/lib/errors';
import { contextsOf, loadKubeConfig } from '@/server/cluster/kubeconfig';
import type { ClusterEntry, ClusterSource, EntryDefaults, LocalSource } from '@/server/shared/cluster-entry';
import {
  CLUSTERS_MAX,
  type ClustersFile,
  isClusterName,
  parseClustersFile,
} from '@/server/shared/clusters-file';
import type { Config } from '@/server/shared/config';
import { ConfigError } from '@/server/shared/config-error';

interface LoadedEntries extends ClustersFile {
  /** There are no entries where there are any. */
  readonly problems: readonly string[];
}

type EntryConfig = Pick<Config, 'auth' | 'clusters' | 'cluster' | keyof Omit<EntryDefaults, 'stage'>>;

const NAME_CHARS_MAX = 40;

/**
 * The clusters of the configuration, read again with each call. `text` is the content of the file, where the caller has
 * it. Whether the source of an entry is usable shows when its credentials are opened, so that it disturbs no other.
 */
export function loadEntries(config: EntryConfig, text?: string): LoadedEntries {
  try {
    const file = readEntries(config, text);
    assertHasCredentials(file, config.auth.mode);
    return { ...file, problems: [] };
  } catch (error) {
    const problems = error instanceof ConfigError ? error.problems : [`${messageOf(error)}.`];
    return { entries: [], discovery: null, problems };
  }
}

/** Headers have no token: no one could sign in to a cluster that wants one. */
function assertHasCredentials({ entries, discovery }: ClustersFile, mode: AuthMode): void {
  const wanting = entries.filter(({ credential }) => credential === 'token').map(({ name }) => name);
  if (discovery?.defaults.credential === 'token') wanting.push('discover.secrets');
  if (mode !== 'proxy-headers' || wanting.length === 0) return;
  throw new ConfigError([
    `The credential of ${wanting.join(', ')} is token, and SHIPLOG_AUTH=proxy-headers has none. Use impersonate there, or proxy-jwt or oidc to sign people in.`,
  ]);
}

function readEntries(config: EntryConfig, text: string | undefined): ClustersFile {
  const { clusters, cluster, namespaces, readOnly, credential, identity, links, argocd } = config;
  const defaults: EntryDefaults = { stage: null, namespaces, readOnly, credential, identity, links, argocd };
  switch (clusters.kind) {
    case 'one': {
      const { context } = loadKubeConfig(cluster);
      const source = cluster.kind === 'kubeconfig' ? { ...cluster, context } : cluster;
      return { entries: [entryOf(context, context, source, defaults)], discovery: null };
    }
    case 'contexts':
      return { entries: entriesOfContexts(cluster, defaults), discovery: null };
    case 'file': {
      const { path } = clusters;
      return parseClustersFile(text ?? readFileSync(path, 'utf8'), dirname(path), defaults);
    }
    default: {
      const unknown: never = clusters;
      return unknown;
    }
  }
}

function entriesOfContexts(source: LocalSource, defaults: EntryDefaults): ClusterEntry[] {
  if (source.kind !== 'kubeconfig') throw new ConfigError(['There is no kubeconfig.']);
  const contexts = contextsOf(source.files);
  const where = source.files.join(', ');
  if (contexts.length === 0) throw new ConfigError([`There is no context in ${where}.`]);
  if (contexts.length > CLUSTERS_MAX)
    throw new ConfigError([
      `There are ${contexts.length} contexts in ${where}; Shiplog shows at most ${CLUSTERS_MAX}.`,
    ]);
  const taken = new Set<string>();
  return contexts.map((context) => {
    const name = nameOf(context, taken);
    taken.add(name);
    return entryOf(name, context, { ...source, context }, defaults);
  });
}

function entryOf(name: string, title: string, source: ClusterSource, defaults: EntryDefaults): ClusterEntry {
  return { name, title, formerNames: [], source, id: null, ...defaults };
}

/** The end of a long name tells most: `arn:aws:eks:eu-west-1:123456789012:cluster/prod`. */
function nameOf(context: string, taken: ReadonlySet<string>): string {
  const plain = trimmed(context.toLowerCase().replace(/[^a-z0-9]+/g, '-'));
  for (let count = 1; ; count += 1) {
    const suffix = count === 1 ? '' : `-${count}`;
    const name = trimmed(plain.slice(-(NAME_CHARS_MAX - suffix.length)) || 'cluster') + suffix;
    if (isClusterName(name) && !taken.has(name)) return name;
  }
}

function trimmed(name: string): string {
  return name.replace(/^-+|-+$/g, '');
}
