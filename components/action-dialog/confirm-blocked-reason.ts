import type { ActionAnswer } from '@/lib/api/actions';

/** What decides whether a plan can be confirmed. */
export interface ConfirmInput {
  /** Whether the form is complete: a revision chosen, a number typed. */
  isChosen: boolean;
  /** Why the page may be out of date; null where it is not. */
  stale: string | null;
  /** The workload differs from the one of the preview. */
  isChanged: boolean;
  preview: { data: ActionAnswer | undefined; error: unknown; message: string };
  /** Whether the action replaces the template: then the viewer must have seen the changes. */
  needsDiff: boolean;
}

/** The reason while the answer of the checks is missing. */
export const CHECKING = 'Running checks…';

/**
 * Why confirming is disabled, as a sentence; null when it is enabled. Only what was shown and dry-run can be
 * confirmed.
 */
export function confirmBlockedReason({
  isChosen,
  stale,
  isChanged,
  preview,
  needsDiff,
}: ConfirmInput): string | null {
  const { data, error, message } = preview;
  if (!isChosen) return 'Nothing is selected yet.';
  if (isChanged) return 'The object changed since you opened this: review it again first.';
  if (stale !== null) return stale;
  if (error) return message;
  if (!data) return CHECKING;
  const rejection = data.findings.find((finding) => finding.severity === 'refusal');
  if (rejection) return rejection.message;
  if (!data.plan) return 'No plan is available.';
  if (needsDiff && !data.diff) return 'The changes could not be determined, so this cannot be confirmed.';
  if (!data.dryRun) return 'The dry run is not available, so this cannot be confirmed.';
  if (!data.dryRun.accepted) return `The API server rejected the dry run: ${data.dryRun.message}`;
  return null;
}
