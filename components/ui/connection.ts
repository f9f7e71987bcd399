'use client';

import { useEffect, useSyncExternalStore } from 'react';
import { createListeners } from '@/components/ui/listeners';

/** What the page knows about how stale it is. */
export interface PageConnection extends ClusterConnection {
  /** Between this page and Shiplog. */
  link: 'connecting' | 'live' | 'lost';
  /** Since when `link` is so, in milliseconds since 1970. */
  linkSinceMs: number;
  /** Of several clusters: how many there are, and how many are unreachable. */
  count: number;
  unreachableCount: number;
}

/** Between Shiplog and an API server. Of several clusters: of the one that the page is about, else of the best. */
interface ClusterConnection {
  /** `connecting` until Shiplog has reported it. */
  cluster: 'connecting' | 'connected' | 'unreachable';
  /** The last answer of the API server to Shiplog. */
  observedAt: string | null;
  /** Why the API server is unreachable. */
  message: string | null;
}

/** By the id of the cluster. */
export type ClusterConnections = Readonly<Record<string, ClusterConnection>>;

const first: PageConnection = {
  link: 'connecting',
  linkSinceMs: 0,
  cluster: 'connecting',
  observedAt: null,
  message: null,
  count: 1,
  unreachableCount: 0,
};

let current = first;
let clusters: ClusterConnections = {};
/** Id of the cluster of the object that the page is about. */
let focus: string | null = null;
const { subscribe, notify } = createListeners();

export function getConnection(): PageConnection {
  return current;
}

/** Of the cluster with the id; of one that is not known as of all. */
export function connectionOf(cluster: string): PageConnection {
  return { ...current, ...clusters[cluster] };
}

/** Only the owner of the stream calls it. */
export function updateConnection(change: Partial<PageConnection>): void {
  current = { ...current, ...change };
  notify();
}

/** Only the owner of the stream calls it. */
export function updateClusters(connections: ClusterConnections): void {
  clusters = connections;
  updateConnection(summaryOf());
}

/** While a page is about an object of this cluster, its connection is the one that counts. */
export function useFocusedConnection(cluster: string | undefined): void {
  useEffect(() => {
    if (cluster === undefined) return;
    focus = cluster;
    updateConnection(summaryOf());
    return () => {
      focus = null;
      updateConnection(summaryOf());
    };
  }, [cluster]);
}

function summaryOf(): Partial<PageConnection> {
  const all = Object.values(clusters);
  if (all.length === 0) return {};
  const own = focus === null ? undefined : clusters[focus];
  const best = (['connected', 'connecting', 'unreachable'] as const)
    .map((state) => all.find(({ cluster }) => cluster === state))
    .find((each) => each !== undefined);
  return {
    ...(own ?? best),
    count: all.length,
    unreachableCount: all.filter(({ cluster }) => cluster === 'unreachable').length,
  };
}

/**
 * The page may be out of date: the connection to Shiplog is lost or the API server unreachable. Pages then say so,
 * pause animations and disable every write.
 */
export function isStale(connection: PageConnection): boolean {
  return connection.link === 'lost' || connection.cluster === 'unreachable';
}

/** Whether the API server has been unreachable since the start of Shiplog: then an empty answer has no meaning. */
function isUnread({ cluster, observedAt }: PageConnection): boolean {
  return cluster === 'unreachable' && observedAt === null;
}

/** Why nothing can be changed while the page is stale; null when it is not. The name is given among several clusters. */
export function staleReason(connection: PageConnection, clusterName?: string): string | null {
  if (!isStale(connection)) return null;
  const what =
    connection.link === 'lost'
      ? 'The connection to Shiplog is lost'
      : clusterName !== undefined
        ? `${clusterName} is unreachable`
        : connection.count > 1 && connection.unreachableCount === connection.count
          ? 'All clusters are unreachable'
          : 'The cluster is unreachable';
  return `${what}. Actions are disabled until it is back.`;
}

export function useConnection(): PageConnection & { stale: boolean; unread: boolean } {
  const connection = useSyncExternalStore(subscribe, getConnection, () => first);
  return { ...connection, stale: isStale(connection), unread: isUnread(connection) };
}
