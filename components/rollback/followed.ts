'use client';

import { useSyncExternalStore } from 'react';
import { type WorkloadRef } from '@/lib/queries/workload-ref';

/*
 * Which action of a workload this tab follows, so that its page can say how it goes after the dialog was closed or the
 * page was loaded anew. The action itself is followed on the server; this is only where to look.
 */
const listeners = new Set<() => void>();

/** From now on the workload's page shows how this action goes. */
export function follow(workload: WorkloadRef, actionId: string): void {
  store((storage) => storage.setItem(keyOf(workload), actionId));
}

/** The workload's page need not show it any longer. */
export function unfollow(workload: WorkloadRef): void {
  store((storage) => storage.removeItem(keyOf(workload)));
}

/** The action that was confirmed in this tab last, or null. */
export function useFollowed(workload: WorkloadRef): string | null {
  return useSyncExternalStore(
    subscribe,
    () => read(workload),
    () => null,
  );
}

function read(workload: WorkloadRef): string | null {
  try {
    return sessionStorage.getItem(keyOf(workload));
  } catch {
    return null;
  }
}

function store(change: (storage: Storage) => void): void {
  try {
    change(sessionStorage);
  } catch {
    // Without storage the dialog alone shows how it goes.
  }
  for (const listener of [...listeners]) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function keyOf({ resource, namespace, name }: WorkloadRef): string {
  return `shiplog action ${resource}/${namespace}/${name}`;
}
