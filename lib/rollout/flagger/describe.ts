import { type FlaggerCanary } from '@/lib/rollout/flagger/parse';
import { type Wait } from '@/lib/api/rollouts';
import { type RolloutState } from '@/lib/api/rollout-values';
import { formatCount, formatList } from '@/lib/format/text';
import { stateWithoutWait } from '@/lib/rollout/described-state';

export interface DescribedCanary {
  state: RolloutState;
  message: string;
  waitsFor: Wait | null;
}

/** Flagger asks a webhook, and nothing in the cluster could answer it. */
export const NOT_FROM_HERE =
  'Flagger asks a webhook whether it may go on, so it can’t be approved from here.';

/**
 * The state of a Canary, by its phase.
 * https://github.com/fluxcd/flagger/blob/main/pkg/apis/flagger/v1beta1/status.go
 */
export function describeCanary(canary: FlaggerCanary): DescribedCanary {
  const { phase, deletedAt, suspended } = canary;
  const target = `${canary.workload.kind} ${canary.workload.name}`;
  if (deletedAt !== null || phase === 'Terminating' || phase === 'Terminated')
    return stateWithoutWait('terminating', `Being deleted; ${target} is left to itself.`);
  switch (phase) {
    case '':
      return stateWithoutWait('starting', 'The controller has yet to take up this Canary.');
    case 'Initializing':
      return stateWithoutWait(
        'starting',
        `Flagger is copying ${target} to ${formatPrimary(canary)}, which is to serve.`,
      );
    case 'Initialized':
      return stateWithoutWait('idle', 'Nothing has been released through this Canary so far.');
    case 'Waiting':
      return waitingForGate('A release waits for a webhook before it begins', canary, 'confirm-rollout');
    case 'WaitingPromotion':
      return waitingForGate('The release waits for a webhook to be promoted', canary, 'confirm-promotion');
    case 'Progressing':
      return suspended
        ? {
            state: 'paused',
            message: `Suspended${progressOf(canary)}.`,
            waitsFor: { kind: 'resume', text: 'Somebody has to take spec.suspend away.' },
          }
        : stateWithoutWait('progressing', `Progressing${progressOf(canary)}.`);
    case 'Promoting':
      return stateWithoutWait('completing', `Promoting: ${formatPrimary(canary)} gets the new template.`);
    case 'Finalising':
      return stateWithoutWait('completing', `Finalising: the requests go back to ${formatPrimary(canary)}.`);
    case 'Succeeded':
      return stateWithoutWait('completed', `Succeeded: ${formatPrimary(canary)} runs what was released.`);
    case 'Failed':
      return stateWithoutWait(
        'failed',
        `Failed: ${formatPrimary(canary)} serves as before, and ${target} still asks for the template that failed.`,
      );
    default:
      return stateWithoutWait('unknown', `In the phase ${phase}, which Shiplog does not know.`);
  }
}

/** What is unusual, or easily mistaken for it. */
export function notesOf(canary: FlaggerCanary): string[] {
  const { workload, phase, skipsAnalysis } = canary;
  const target = `${workload.kind} ${workload.name}`;
  const notes = [
    `${formatPrimary(canary)} is a copy that Flagger writes with each promotion: change ${target} instead.`,
  ];
  if (phase === 'Initialized' || phase === 'Succeeded' || phase === 'Failed')
    notes.push(`Between releases Flagger scales ${target} to 0: nothing is amiss.`);
  if (phase === 'Failed')
    notes.push(
      `A rollback of ${target} to the template that was promoted last starts no analysis: Flagger takes it for released.`,
    );
  if (skipsAnalysis) notes.push('It skips the analysis: what is changed is promoted at once.');
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
function progressOf({
  weights,
  weight,
  iterations,
  iteration,
  failedChecks,
  threshold,
}: FlaggerCanary): string {
  const share =
    weights.length > 0
      ? `${weight}% of the requests go to the canary`
      : iterations !== null
        ? `check ${iteration} of ${iterations}`
        : null;
  const failed =
    failedChecks === 0
      ? null
      : threshold === null
        ? `${formatCount(failedChecks, 'check')} failed`
        : `${failedChecks} of ${threshold} failed checks until it is rolled back`;
  const parts = [share, failed].filter((part) => part !== null);
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}

function waitingForGate(message: string, canary: FlaggerCanary, type: string): DescribedCanary {
  const gates = canary.gates.filter((gate) => gate.type === type).map(({ name }) => name);
  const gatesText = gates.length === 0 ? '' : ` (${formatList(gates)})`;
  return {
    state: 'waiting',
    message: `${message}${gatesText}${progressOf(canary)}.`,
    waitsFor: { kind: 'approval', text: NOT_FROM_HERE },
  };
}
