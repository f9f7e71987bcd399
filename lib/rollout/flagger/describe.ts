import type { FlaggerCanary } from '@/lib/rollout/flagger/parse';
import type { Wait } from '@/lib/api/rollouts';
import type { RolloutState } from '@/lib/api/rollout-values';
import { formatCount, formatList } from '@/lib/format/text';
import { stateWithoutWait } from '@/lib/rollout/described-state';

export interface DescribedCanary {
  state: RolloutState;
  message: string;
  waitsFor: Wait | null;
}

/** Why it can't be approved: Flagger asks a webhook, and nothing in the cluster could answer it. */
export function approvalRefusal(canary: FlaggerCanary): string {
  return canary.phase === 'Waiting' || canary.phase === 'WaitingPromotion'
    ? gateText(canary)
    : 'Flagger promotes its steps automatically.';
}

function gateText(canary: FlaggerCanary): string {
  return `Flagger waits for ${webhookName(canary)}. Confirm it in the service behind the webhook: Shiplog cannot.`;
}

/** "the confirm-promotion webhook “gate”" */
function webhookName({ gates, phase }: FlaggerCanary): string {
  const type = phase === 'Waiting' ? 'confirm-rollout' : 'confirm-promotion';
  const names = gates.filter((gate) => gate.type === type).map(({ name }) => name);
  return names.length === 0
    ? `a ${type} webhook`
    : `the ${type} webhook ${formatList(names.map((name) => `“${name}”`))}`;
}

/**
 * The state of a Canary, by its phase.
 * https://github.com/fluxcd/flagger/blob/main/pkg/apis/flagger/v1beta1/status.go
 */
export function describeCanary(canary: FlaggerCanary): DescribedCanary {
  const { phase, deletedAt, suspended } = canary;
  const target = `${canary.workload.kind} ${canary.workload.name}`;
  if (deletedAt !== null || phase === 'Terminating' || phase === 'Terminated')
    return stateWithoutWait('terminating', `Being deleted; ${target} stays.`);
  switch (phase) {
    case '':
      return stateWithoutWait('starting', 'Waiting for the controller.');
    case 'Initializing':
      return stateWithoutWait('starting', `Flagger is creating ${formatPrimary(canary)} from ${target}.`);
    case 'Initialized':
      return stateWithoutWait('idle', 'No rollout yet.');
    case 'Waiting':
      return waitingForGate('Waiting for a webhook to confirm the rollout', canary, 'confirm-rollout');
    case 'WaitingPromotion':
      return waitingForGate('Waiting for a webhook to confirm the promotion', canary, 'confirm-promotion');
    case 'Progressing':
      return suspended
        ? {
            state: 'paused',
            message: `Suspended${progressOf(canary)}.`,
            waitsFor: { kind: 'resume', text: 'Waiting for spec.suspend to be removed.' },
          }
        : stateWithoutWait('progressing', `Progressing${progressOf(canary)}.`);
    case 'Promoting':
      return stateWithoutWait('completing', `Promoting: ${formatPrimary(canary)} gets the new template.`);
    case 'Finalising':
      return stateWithoutWait('completing', `Finalizing: traffic returns to ${formatPrimary(canary)}.`);
    case 'Succeeded':
      return stateWithoutWait('completed', `Succeeded: ${formatPrimary(canary)} runs the new template.`);
    case 'Failed':
      return stateWithoutWait(
        'failed',
        `Failed${failureCause(canary)}: ${formatPrimary(canary)} keeps serving; ${target} still requests the failed template.`,
      );
    default:
      return stateWithoutWait('unknown', `Unknown phase: ${phase}.`);
  }
}

/** " after 5 failed checks"; empty where something else ended it, such as the progress deadline. */
function failureCause({ failedChecks, threshold }: FlaggerCanary): string {
  return failedChecks > 0 && failedChecks >= (threshold ?? 0)
    ? ` after ${formatCount(failedChecks, 'failed check')}`
    : '';
}

/** What is unusual, or easily mistaken for it. */
export function notesOf(canary: FlaggerCanary): string[] {
  const { workload, phase, skipsAnalysis } = canary;
  const target = `${workload.kind} ${workload.name}`;
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

/** "Deployment cart-primary" */
function formatPrimary(canary: FlaggerCanary): string {
  return `${canary.workload.kind} ${primaryNameOf(canary)}`;
}

/** Flagger's name for the copy that serves. */
export function primaryNameOf({ workload: { name } }: FlaggerCanary): string {
  return `${name}-primary`;
}

/** ": 20% of the requests go to the canary, 1 of 5 failed checks". */
function progressOf(canary: FlaggerCanary): string {
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

function waitingForGate(message: string, canary: FlaggerCanary, type: string): DescribedCanary {
  const gates = canary.gates.filter((gate) => gate.type === type).map(({ name }) => `“${name}”`);
  const gatesText = gates.length === 0 ? '' : ` (${formatList(gates)})`;
  return {
    state: 'waiting',
    message: `${message}${gatesText}${progressOf(canary)}.`,
    waitsFor: { kind: 'approval', text: `Waiting for ${webhookName(canary)}.` },
  };
}
