import { stateWithoutBlockers, type DerivedState } from '@/lib/workloads/derived-state';
import { type Workload } from '@/lib/history/workload';

/** A controller observes an edit within a second or two; one that takes this long is overloaded, or does not run. */
const OBSERVED_WITHIN_MS = 30_000;

/** The status of a workload whose controller has not observed the last edit. Without `now` it is unknown. */
export function unobservedState({ editedAt, createdAt }: Workload, now: string | undefined): DerivedState {
  const since = editedAt ?? createdAt;
  if (now !== undefined && Date.parse(now) - Date.parse(since) < OBSERVED_WITHIN_MS) {
    const message = 'waiting for the controller to observe the last change';
    const sentence = 'Waiting for the controller to observe the last change.';
    return { ...stateWithoutBlockers('rolling', message, sentence, since), unobserved: true };
  }
  return {
    ...stateWithoutBlockers(
      'unknown',
      'the controller has not observed the last change',
      'The controller has not observed the last change, so the state of its rollout is unknown.',
      null,
    ),
    unobserved: true,
  };
}
