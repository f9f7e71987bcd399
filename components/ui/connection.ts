'use client';

import { useSyncExternalStore } from 'react';

/** Between Shiplog and the API server of a cluster; `connecting` until Shiplog has reported it. */
export interface ClusterConnection {
  state: 'connecting' | 'connected' | 'unreachable';
  /** The last answer of the API server to Shiplog. */
  observedAt: string | null;
  /** Why the API server is unreachable. */
  message: string | null;
}

/** What the page knows about how stale it is. */
export interface Connection {
  /** Between this page and Shiplog. */
  link: 'connecting' | 'live' | 'lost';
  /** Since when `link` is so, in milliseconds since 1970. */
  linkSinceMs: number;
  /** By the id of the cluster. */
  clusters: Readonly<Record<string, ClusterConnection>>;
}

const first: Connection = { link: 'connecting', linkSinceMs: 0, clusters: {} };

let current = first;
const listeners = new Set<() => void>();

export function getConnection(): Connection {
  return current;
}

/** Only the owner of the stream calls it. */
export function updateConnection(change: Partial<Connection>): void {
  current = { ...current, ...change };
  for (const listener of [...listeners]) listener();
}

/** The connections on which what is shown depends: to one cluster, or of a list to all. */
export interface ShownConnection extends Pick<Connection, 'link' | 'linkSinceMs'> {
  /** `unreachable` where every cluster is. */
  cluster: ClusterConnection['state'];
  observedAt: string | null;
  message: string | null;
}

const unreported: ClusterConnection = { state: 'connecting', observedAt: null, message: null };

/** Of the cluster with the id; without one of all clusters: as the best of them. */
export function shownConnection(
  { link, linkSinceMs, clusters }: Connection,
  cluster?: string,
): ShownConnection {
  const all = Object.values(clusters);
  const named = cluster === undefined ? undefined : clusters[cluster];
  const shown =
    named ?? states.flatMap((state) => all.find((each) => each.state === state) ?? [])[0] ?? unreported;
  return { link, linkSinceMs, cluster: shown.state, observedAt: shown.observedAt, message: shown.message };
}

/** Best first. */
const states = ['connected', 'connecting', 'unreachable'] as const;

/**
 * What is shown may be out of date: the connection to Shiplog is lost or the API server unreachable. Pages then say so,
 * pause animations and disable every write.
 */
export function isStale({ link, cluster }: ShownConnection): boolean {
  return link === 'lost' || cluster === 'unreachable';
}

/** Whether the API server has been unreachable since the start of Shiplog: then an empty answer has no meaning. */
function isUnread({ cluster, observedAt }: ShownConnection): boolean {
  return cluster === 'unreachable' && observedAt === null;
}

/** Why nothing can be changed while the page is stale; null when it is not. */
export function staleReason(connection: ShownConnection, clusterName = 'The cluster'): string | null {
  if (!isStale(connection)) return null;
  const what =
    connection.link === 'lost' ? 'The connection to Shiplog is lost' : `${clusterName} is unreachable`;
  return `${what}. Actions are disabled until it is back.`;
}

/** `cluster`: the id of the only one that is shown. */
export function useConnection(cluster?: string): ShownConnection & { stale: boolean; unread: boolean } {
  const connection = shownConnection(useConnections(), cluster);
  return { ...connection, stale: isStale(connection), unread: isUnread(connection) };
}

/** The connections to all clusters. */
export function useConnections(): Connection {
  return useSyncExternalStore(subscribe, getConnection, () => first);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
