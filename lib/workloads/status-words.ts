import { type History, type Revision } from '@/lib/history/revision';
import { called, count } from '@/lib/workloads/words';

/** "none of the 6 pods on revision 43 has become ready", "2 of the 6 pods on revision 43 are ready". */
export function targetReadiness(target: Revision | null, desired: number): string {
  if (target === null) return 'the present template has no revision yet';
  const on = `revision ${called(target)}`;
  const { total, ready } = target.pods;
  if (total === 0) return `none of the ${count(desired, 'pod')} of ${on} could be created`;
  if (total === 1 && ready === 0) return `the one pod on ${on} has not become ready`;
  if (ready === 0) return `none of the ${total} pods on ${on} has become ready`;
  return `${ready} of the ${count(total, 'pod')} on ${on} ${ready === 1 ? 'is' : 'are'} ready`;
}

/** "Revision 42 still serves with 9 of 12."; null when no other revision has a ready pod. */
export function stillServing(history: History, desired: number): string | null {
  const others = history.revisions.filter((revision) => !revision.target && revision.pods.ready > 0);
  const [first] = others;
  if (first === undefined) return null;
  const ready = others.reduce((sum, revision) => sum + revision.pods.ready, 0);
  if (others.length === 1) return `Revision ${called(first)} still serves with ${ready} of ${desired}.`;
  const names = others.map(called);
  return `Revisions ${names.slice(0, -1).join(', ')} and ${names.at(-1)} still serve with ${ready} of ${desired}.`;
}
