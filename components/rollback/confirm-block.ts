import { type ActionAnswer } from '@/lib/api/actions';

/** What decides whether a plan may be confirmed. */
export interface ConfirmInput {
  /** Whether it is decided what to do: a revision chosen, a number typed. */
  isChosen: boolean;
  /** What is on screen can't be trusted to be the present. */
  isStale: boolean;
  /** The workload is not the one that the preview was made for. */
  isChanged: boolean;
  preview: { data: ActionAnswer | undefined; error: unknown; message: string };
  /** Whether the action replaces the template, so that the viewer must have seen what changes. */
  needsDiff: boolean;
}

/** What is said until the answer of the checks is there. */
export const CHECKING = 'Running checks…';

/** Why confirming is off, in a sentence; null when it is on. Nothing is confirmed that was not seen and tried. */
export function confirmBlock({
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
