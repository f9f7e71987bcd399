import { plain, type Verdict } from '@/lib/workloads/status-words';
import { type Workload } from '@/lib/workloads/workload';

/** A controller observes an edit within a second or two; one that takes this long is overloaded, or does not run. */
const OBSERVED_WITHIN_MS = 30_000;

/** What is said of a workload whose controller has not observed the last edit. Without `now`, that nothing is known. */
export function unobserved({ editedAt, createdAt }: Workload, now: string | undefined): Verdict {
  const since = editedAt ?? createdAt;
  if (now !== undefined && Date.parse(now) - Date.parse(since) < OBSERVED_WITHIN_MS) {
    const message = 'waiting for the controller to observe the last edit';
    const sentence = 'Waiting for the controller to observe the last edit.';
    return { ...plain('rolling', message, sentence, since), unobserved: true };
  }
  return {
    ...plain(
      'unknown',
      'the controller has not seen the last edit',
      'The controller has not seen the last edit, so nothing is known of how it went.',
      null,
    ),
    unobserved: true,
  };
}
