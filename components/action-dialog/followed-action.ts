'use client';

import { useSyncExternalStore } from 'react';
import { rowKeyOf, type WorkloadRef } from '@/components/queries/workload-ref';
import { readStored, store } from '@/components/ui/browser-storage';
import { createListeners } from '@/components/ui/listeners';

/*
 * The action of a workload that this tab follows, so that its page can show the progress after the dialog was closed
 * or the page was reloaded. The server follows the action itself; this is only the reference.
 */
const { subscribe, notify } = createListeners();

/** From now on the workload's page shows the progress of this action. */
export function followAction(workload: WorkloadRef, actionId: string): void {
  change(workload, actionId);
}

/** The workload's page no longer needs to show it. */
export function unfollowAction(workload: WorkloadRef): void {
  change(workload, null);
}

/** The last action that was confirmed in this tab, or null. */
export function useFollowedActionId(workload: WorkloadRef): string | null {
  return useSyncExternalStore(
    subscribe,
    () => readStored(keyOf(workload), 'session'),
    () => null,
  );
}

/** Where it cannot be stored, only the dialog shows the progress. */
function change(workload: WorkloadRef, actionId: string | null): void {
  store(keyOf(workload), actionId, 'session');
  notify();
}

function keyOf(workload: WorkloadRef): string {
  return `action ${rowKeyOf(workload)}`;
}
