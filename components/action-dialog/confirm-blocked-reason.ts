import { type ActionAnswer } from '@/lib/api/actions';

/** What decides whether a plan can be confirmed. */
export interface ConfirmInput {
  /** Whether the form is complete: a revision chosen, a number typed. */
  isChosen: boolean;
  /** The page may be out of date. */
  isStale: boolean;
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
  isStale,
  isChanged,
  preview,
  needsDiff,
}: ConfirmInput): string | null {
  const { data, error, message } = preview;
  if (!isChosen) return 'Nothing is chosen yet.';
  if (isChanged) return 'It changed since you opened this: look again first.';
  if (isStale) return 'The connection is lost. Writing is off until this page is up to date again.';
  if (error) return message;
  if (!data) return CHECKING;
  const refusal = data.findings.find((finding) => finding.severity === 'refusal');
  if (refusal) return refusal.message;
  if (!data.plan) return 'There is no plan for it.';
  if (needsDiff && !data.diff) return 'What would change could not be worked out, so it is not offered.';
  if (!data.dryRun) return 'The API server could not be asked for a dry run, so it is not offered.';
  if (!data.dryRun.accepted) return `The API server refused the dry run: ${data.dryRun.message}`;
  return null;
}
