import { isActive } from '@/lib/history/assemble';
import { formatRevision, type RevisionHistory, type Revision } from '@/lib/history/revision';
import type { PodSummary } from '@/lib/history/pod';
import type { Blocker } from '@/lib/api/pods';
import type { WorkloadState } from '@/lib/api/workload-values';
import { formatAll, formatCount } from '@/lib/format/text';

/** A state with its text; the kind adds counts and the line of kubectl. */
export interface DerivedState {
  state: WorkloadState;
  message: string;
  sentence: string;
  since: string | null;
  blockers: readonly Blocker[];
  unobserved?: true;
}

/** The same with nothing later than `now`, RFC 3339: the clock of the machine that wrote a time may be ahead. */
export function notAfter<State extends { since: string | null }>(state: State, now: string): State {
  if (state.since === null || Date.parse(state.since) <= Date.parse(now)) return state;
  return { ...state, since: now };
}

/** A derived state without blocked pods. */
export function stateWithoutBlockers(
  state: WorkloadState,
  message: string,
  sentence: string,
  since: string | null,
): DerivedState {
  return { state, message, sentence, since, blockers: [] };
}

export function joinSentences(...sentences: readonly (string | null)[]): string {
  return sentences.filter((sentence) => sentence !== null).join(' ');
}

/** "0 of 6 pods of revision 43 are ready". */
export function describeTargetReadiness(target: Revision | null): string {
  if (target === null) return 'the current template has no revision yet';
  const on = `revision ${formatRevision(target)}`;
  const { total, ready } = target.pods;
  if (total === 0) return `no pod of ${on} could be created`;
  if (total === 1) return `the only pod of ${on} is ${ready === 0 ? 'not ' : ''}ready`;
  return `${ready} of ${total} pods of ${on} ${ready === 1 ? 'is' : 'are'} ready`;
}

/** "Revision 42 still serves with 9 of 12 pods."; null when no other revision has a ready pod. */
export function describeServing(history: RevisionHistory, desired: number): string | null {
  const others = history.revisions.filter((revision) => !revision.target && revision.pods.ready > 0);
  const [first] = others;
  if (first === undefined) return null;
  const ready = others.reduce((sum, revision) => sum + revision.pods.ready, 0);
  if (others.length === 1)
    return `Revision ${formatRevision(first)} still serves with ${ready} of ${formatCount(desired, 'pod')}.`;
  const names = others.map(formatRevision);
  return `Revisions ${names.slice(0, -1).join(', ')} and ${names.at(-1)} still serve with ${ready} of ${formatCount(desired, 'pod')}.`;
}

/** When the last of the desired pods became ready; null while one is missing or does not report it. */
export function allReadySince(pods: readonly PodSummary[], desired: number): string | null {
  const times = pods.filter(isActive).flatMap(({ readyAt }) => (readyAt === null ? [] : [readyAt]));
  return times.length >= desired && desired > 0 ? (times.sort().at(-1) ?? null) : null;
}

/** The sentence of a complete workload: "All 3 pods run revision 5 and are ready." */
export function allPodsReady(desired: number, on: string): string {
  return desired === 1
    ? `The only pod runs ${on} and is ready.`
    : `${formatAll(desired, 'pod')} run ${on} and are ready.`;
}
