import { type Revision } from '@/lib/history/revision';
import { type PodSummary } from '@/lib/workloads/pod';
import { objectIn, textAt } from '@/lib/workloads/read';

/** Written into a pod with every update in place: to which revision, and when. https://openkruise.io/docs/core-concepts/inplace-update */
const STATE = 'apps.kruise.io/inplace-update-state';

export const inPlaceMarks: readonly string[] = [STATE];

/**
 * When a pod was given a revision in place; null where its last update in place was to another one. The ControllerRevision
 * can't tell: that of a return is the old object with its old time.
 */
export function updatedInPlaceAt({ marks }: PodSummary, { name }: Pick<Revision, 'name'>): string | null {
  const state = objectIn(marks?.[STATE]);
  const revision = textAt(state, 'revision');
  if (revision === undefined || (revision !== name && !name.endsWith(`-${revision}`))) return null;
  return textAt(state, 'updateTimestamp') ?? null;
}
