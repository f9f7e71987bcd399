import type { EarlierTarget, Observation, RecorderMemory, RecordingTools } from '@/lib/records/observation';
import type { ArchivedActivation, RevisionRef, WorkloadIncarnation } from '@/lib/api/incarnation';
import { withMeaning } from '@/lib/records/template-meaning';

/** How many incarnations back are read: each was deleted with its revisions left behind. */
const EARLIER_MAX = 3;

/** Those of a name from which an incarnation may have adopted revisions. Both are latest first. */
export function earlierIncarnations<Incarnation extends Pick<WorkloadIncarnation, 'uid'>>(
  all: readonly Incarnation[],
  uid: string,
): Incarnation[] {
  return all.filter((other) => other.uid !== uid).slice(0, EARLIER_MAX);
}

/** What the next incarnation of the name may adopt; null where nothing is recorded. */
export function earlierTargetOf({
  activations,
  record,
  revisions,
  earlier,
}: RecorderMemory): EarlierTarget | null {
  const last = activations.at(-1);
  if (last === undefined) return earlier;
  return {
    revision: last.revision,
    hasStarted: record !== null || last.adopted === true,
    revisionIds: new Set(revisions.keys()),
  };
}

/**
 * The target that pods ran when the workload adopted them: no rollout of this incarnation led to it. The records of an
 * earlier incarnation identify it where the same objects were adopted; otherwise the highest number does. Null where
 * the workload has adopted nothing. Its controller adopts one object after the other, and then numbers the target.
 */
export function findInherited(
  { earlier, revisions: known }: Pick<RecorderMemory, 'earlier' | 'revisions'>,
  { incarnation, revisions, adopted, target, orphans }: Observation,
  tools: RecordingTools,
): ArchivedActivation | 'adopting' | null {
  const isOfEarlier = (id: string) => earlier?.revisionIds.has(id) === true;
  const isAdopting = adopted.length === 0 ? orphans.some(isOfEarlier) : orphans.length > 0;
  const isRecorded = earlier !== null && (isAdopting || revisions.some(({ id }) => isOfEarlier(id)));
  if (!isRecorded && adopted.length === 0) return null;
  if (target === null || isAdopting) return 'adopting';
  const revision = isRecorded ? earlier.revision : (highestBefore(known, target) ?? adopted.at(-1));
  if (revision === undefined) return null;
  const activation = {
    workloadUid: incarnation.uid,
    index: 1,
    revision: withMeaning(revision, tools),
    from: null,
    fromNotAfter: null,
    to: null,
  };
  return isRecorded && !earlier.hasStarted ? activation : { ...activation, adopted: true };
}

/** Where the target has got a new number since it was adopted, the highest of those that were observed before. */
function highestBefore(known: RecorderMemory['revisions'], target: RevisionRef): RevisionRef | null {
  const before = known.get(target.id ?? '');
  if (before === undefined || target.number === null || before.numbers.includes(target.number)) return null;
  const refs = [...known.values()].map(({ id, hash, numbers }) => ({
    id,
    hash,
    number: numbers.at(-1) ?? 0,
  }));
  return refs.reduce((highest, each) => (each.number > highest.number ? each : highest));
}
