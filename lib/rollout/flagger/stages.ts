import {
  describeUnread,
  describeUnrecognized,
  NO_ROLLOUT_YET,
  type ProgressFacts,
} from '@/lib/engine/progress';
import { formatCount, formatList } from '@/lib/format/text';
import type { FlaggerCanary } from '@/lib/rollout/flagger/parse';

/** Why it can't be approved: Flagger asks a webhook, and nothing in the cluster could answer it. */
export function refuseApproval(canary: FlaggerCanary): string {
  return canary.phase === 'Waiting' || canary.phase === 'WaitingPromotion'
    ? `Flagger waits for ${webhookName(canary)}. Confirm it in the service behind the webhook: Shiplog cannot.`
    : 'Flagger promotes its steps automatically.';
}

/** "the confirm-promotion webhook “gate”" */
function webhookName({ gates, phase }: FlaggerCanary): string {
  const type = phase === 'Waiting' ? 'confirm-rollout' : 'confirm-promotion';
  const names = gates.filter((gate) => gate.type === type).map(({ name }) => `“${name}”`);
  return names.length === 0 ? `a ${type} webhook` : `the ${type} webhook ${formatList(names)}`;
}

/**
 * A Canary by its phase.
 * https://github.com/fluxcd/flagger/blob/main/pkg/apis/flagger/v1beta1/status.go
 */
export function describeCanary(canary: FlaggerCanary): ProgressFacts {
  const { phase, deletedAt } = canary;
  const target = formatTarget(canary);
  const primary = formatPrimary(canary);
  if (deletedAt !== null || phase === 'Terminating' || phase === 'Terminated')
    return { course: 'deleting', message: `Being deleted; ${target} stays.` };
  switch (phase) {
    case '':
      return describeUnread(null);
    case 'Initializing':
      return { course: 'preparing', message: `Flagger is creating ${primary} from ${target}.` };
    case 'Initialized':
      return NO_ROLLOUT_YET;
    case 'Waiting':
      return waitForGate('Waiting for a webhook to confirm the rollout', canary, 'confirm-rollout');
    case 'WaitingPromotion':
      return waitForGate('Waiting for a webhook to confirm the promotion', canary, 'confirm-promotion');
    case 'Progressing':
      return canary.suspended
        ? {
            course: 'underWay',
            message: `Suspended${progressText(canary)}.`,
            waitsFor: { kind: 'resume', text: 'Waiting for spec.suspend to be removed.' },
          }
        : { course: 'underWay', message: `Progressing${progressText(canary)}.` };
    case 'Promoting':
      return { course: 'finishing', message: `Promoting: ${primary} gets the new template.` };
    case 'Finalising':
      return { course: 'finishing', message: `Finalizing: traffic returns to ${primary}.` };
    case 'Succeeded':
      return { course: 'succeeded', message: `Succeeded: ${primary} runs the new template.` };
    case 'Failed':
      return {
        course: 'failed',
        message: `Failed${failureCause(canary)}: ${primary} keeps serving; ${target} still requests the failed template.`,
      };
    default:
      return describeUnrecognized(phase);
  }
}

/** Flagger does nothing without the workload, whatever its phase. */
export function describeMissingTarget(canary: FlaggerCanary): ProgressFacts {
  const target = formatTarget(canary);
  return {
    course: 'withoutWorkload',
    message: `${target} not found.`,
    waitsFor: { kind: 'workload', text: `Waiting for ${target} to be created.` },
  };
}

/** " after 5 failed checks"; empty where something else ended it, such as the progress deadline. */
function failureCause({ failedChecks, threshold }: FlaggerCanary): string {
  return failedChecks > 0 && failedChecks >= (threshold ?? 0)
    ? ` after ${formatCount(failedChecks, 'failed check')}`
    : '';
}

/** What is unusual, or easily mistaken for it. */
export function notesOf(canary: FlaggerCanary): string[] {
  const { phase, skipsAnalysis } = canary;
  const target = formatTarget(canary);
  const notes = [
    `Flagger overwrites ${formatPrimary(canary)} with each promotion: change ${target} instead.`,
  ];
  if (phase === 'Initialized' || phase === 'Succeeded' || phase === 'Failed')
    notes.push(`Flagger scales ${target} to 0 between rollouts. This is expected.`);
  if (phase === 'Failed')
    notes.push(`Rolling back ${target} to the last promoted template starts no analysis.`);
  if (skipsAnalysis) notes.push('The analysis is skipped: changes are promoted at once.');
  return notes;
}

function formatTarget({ workload: { kind, name } }: FlaggerCanary): string {
  return `${kind} ${name}`;
}

/** "Deployment cart-primary" */
function formatPrimary(canary: FlaggerCanary): string {
  return `${canary.workload.kind} ${primaryNameOf(canary)}`;
}

/** Flagger's name for the copy that serves. */
export function primaryNameOf({ workload: { name } }: FlaggerCanary): string {
  return `${name}-primary`;
}

/** ": 20% of the requests go to the canary, 1 of 5 failed checks". */
function progressText(canary: FlaggerCanary): string {
  const { weights, weight, iterations, iteration } = canary;
  const share =
    weights.length > 0
      ? `${weight}% of traffic to the canary`
      : iterations !== null
        ? `check ${iteration} of ${iterations}`
        : null;
  const parts = [share, failedChecksText(canary)].filter((part) => part !== null);
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}

/** "1 of 5 failed checks before rollback"; null without a failed one. */
export function failedChecksText({ failedChecks, threshold }: FlaggerCanary): string | null {
  if (failedChecks === 0) return null;
  return threshold === null
    ? `${formatCount(failedChecks, 'check')} failed`
    : `${failedChecks} of ${threshold} failed checks before rollback`;
}

function waitForGate(message: string, canary: FlaggerCanary, type: string): ProgressFacts {
  const gates = canary.gates.filter((gate) => gate.type === type).map(({ name }) => `“${name}”`);
  const gatesText = gates.length === 0 ? '' : ` (${formatList(gates)})`;
  return {
    course: 'underWay',
    message: `${message}${gatesText}${progressText(canary)}.`,
    waitsFor: { kind: 'approval', text: `Waiting for ${webhookName(canary)}.` },
  };
}
