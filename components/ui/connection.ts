'use client';

import { useSyncExternalStore } from 'react';

/** What the page knows about how stale it is. */
export interface Connection {
  /** Between this page and Shiplog. */
  link: 'connecting' | 'live' | 'lost';
  /** Since when `link` is so, in milliseconds since 1970. */
  linkSinceMs: number;
  /** Between Shiplog and the API server; `connecting` until Shiplog has reported it. */
  cluster: 'connecting' | 'connected' | 'unreachable';
  /** The last answer of the API server to Shiplog. */
  observedAt: string | null;
  /** Why the API server is unreachable. */
  message: string | null;
}

const first: Connection = {
  link: 'connecting',
  linkSinceMs: 0,
  cluster: 'connecting',
  observedAt: null,
  message: null,
};

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

/**
 * The page may be out of date: the connection to Shiplog is lost or the API server unreachable. Pages then say so,
 * pause animations and disable every write.
 */
export function isStale(connection: Connection): boolean {
  return connection.link === 'lost' || connection.cluster === 'unreachable';
}

/** Whether the API server has been unreachable since the start of Shiplog: then an empty answer has no meaning. */
function isUnread({ cluster, observedAt }: Connection): boolean {
  return cluster === 'unreachable' && observedAt === null;
}

/** Why nothing can be changed while the page is stale; null when it is not. */
export function staleReason(connection: Connection): string | null {
  if (!isStale(connection)) return null;
  const what =
    connection.link === 'lost' ? 'The connection to Shiplog is lost' : 'The cluster is unreachable';
  return `${what}. Actions are disabled until it is back.`;
}

export function useConnection(): Connection & { stale: boolean; unread: boolean } {
  const connection = useSyncExternalStore(subscribe, getConnection, () => first);
  return { ...connection, stale: isStale(connection), unread: isUnread(connection) };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
