'use client';

import { useSyncExternalStore } from 'react';
import { type WorkloadRef } from '@/components/queries/workload-ref';

/*
 * The action of a workload that this tab follows, so that its page can show the progress after the dialog was closed
 * or the page was reloaded. The server follows the action itself; this is only the reference.
 */
const listeners = new Set<() => void>();

/** From now on the workload's page shows the progress of this action. */
export function followAction(workload: WorkloadRef, actionId: string): void {
  store((storage) => storage.setItem(keyOf(workload), actionId));
}

/** The workload's page no longer needs to show it. */
export function unfollowAction(workload: WorkloadRef): void {
  store((storage) => storage.removeItem(keyOf(workload)));
}

/** The last action that was confirmed in this tab, or null. */
export function useFollowedActionId(workload: WorkloadRef): string | null {
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
    // Without storage only the dialog shows the progress.
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
