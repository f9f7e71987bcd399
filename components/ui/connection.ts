'use client';

import { useSyncExternalStore } from 'react';

/** What the page knows about how fresh it is. */
export interface Connection {
  /** Between this page and Shiplog. */
  link: 'connecting' | 'live' | 'lost';
  /** Since when `link` is so, in milliseconds since 1970. */
  linkSinceMs: number;
  /** Between Shiplog and the API server; `connecting` until Shiplog has said. */
  cluster: 'connecting' | 'connected' | 'unreachable';
  /** When Shiplog last heard from the API server. */
  observedAt: string | null;
  /** Why the API server is out of reach. */
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

/** Called by whoever listens to the stream; nobody else. */
export function updateConnection(change: Partial<Connection>): void {
  current = { ...current, ...change };
  for (const listener of [...listeners]) listener();
}

/**
 * What is shown can't be trusted to be the present: the link to Shiplog is lost or the API server out of reach. Pages
 * then say so, stop what moves and switch off every write.
 */
export function isStale(connection: Connection): boolean {
  return connection.link === 'lost' || connection.cluster === 'unreachable';
}

/** Whether the API server has been out of reach ever since Shiplog was started: then an empty answer says nothing. */
export function isUnread({ cluster, observedAt }: Connection): boolean {
  return cluster === 'unreachable' && observedAt === null;
}

export function useConnection(): Connection & { stale: boolean; unread: boolean } {
  const connection = useSyncExternalStore(subscribe, getConnection, () => first);
  return { ...connection, stale: isStale(connection), unread: isUnread(connection) };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
