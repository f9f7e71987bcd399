import { type Revision } from '@/lib/history/revision';
import { type PodSummary } from '@/lib/history/pod';
import { objectIn, textAt } from '@/lib/kube/read';

/**
 * The controller writes it into a pod with every update in place: the revision, and the time.
 * https://openkruise.io/docs/core-concepts/inplace-update
 */
const STATE = 'apps.kruise.io/inplace-update-state';

export const inPlaceMetadataKeys: readonly string[] = [STATE];

/**
 * When a pod got a revision in place; null where its last update in place was to another one. The
 * ControllerRevision can't show it: after a rollback it is the old object with its old time.
 */
export function updatedInPlaceAt(
  { metadataValues }: PodSummary,
  { name }: Pick<Revision, 'name'>,
): string | null {
  const state = objectIn(metadataValues?.[STATE]);
  const revision = textAt(state, 'revision');
  if (revision === undefined || (revision !== name && !name.endsWith(`-${revision}`))) return null;
  return textAt(state, 'updateTimestamp') ?? null;
}
