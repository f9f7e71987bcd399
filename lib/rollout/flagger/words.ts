import { type FlaggerCanary } from '@/lib/rollout/flagger/parse';
import { type RolloutState, type Wait } from '@/lib/rollout/rollout';
import { count, listed } from '@/lib/workloads/words';

export interface Said {
  state: RolloutState;
  message: string;
  waitsFor: Wait | null;
}

/** Flagger asks a webhook, and nothing in the cluster would answer it. */
export const NOT_FROM_HERE =
  'Flagger asks a webhook whether it may go on, so it can’t be approved from here.';

/**
 * Where a Canary stands, by its phase.
 * https://github.com/fluxcd/flagger/blob/main/pkg/apis/flagger/v1beta1/status.go
 */
export function sayCanary(canary: FlaggerCanary): Said {
  const { phase, deletedAt, suspended } = canary;
  const target = `${canary.workload.kind} ${canary.workload.name}`;
  if (deletedAt !== null || phase === 'Terminating' || phase === 'Terminated')
    return plain('terminating', `Being deleted; ${target} is left to itself.`);
  switch (phase) {
    case '':
      return plain('starting', 'The controller has yet to take up this Canary.');
    case 'Initializing':
      return plain('starting', `Flagger is copying ${target} to ${primaryOf(canary)}, which is to serve.`);
    case 'Initialized':
      return plain('idle', 'Nothing has been released through this Canary so far.');
    case 'Waiting':
      return gated('A release waits for a webhook before it begins', canary, 'confirm-rollout');
    case 'WaitingPromotion':
      return gated('The release waits for a webhook to be promoted', canary, 'confirm-promotion');
    case 'Progressing':
      return suspended
        ? {
            state: 'paused',
            message: `Suspended${progressOf(canary)}.`,
            waitsFor: { kind: 'resume', text: 'Somebody has to take spec.suspend away.' },
          }
        : plain('progressing', `Progressing${progressOf(canary)}.`);
    case 'Promoting':
      return plain('completing', `Promoting: ${primaryOf(canary)} gets the new template.`);
    case 'Finalising':
      return plain('completing', `Finalising: the requests go back to ${primaryOf(canary)}.`);
    case 'Succeeded':
      return plain('completed', `Succeeded: ${primaryOf(canary)} runs what was released.`);
    case 'Failed':
      return plain(
        'failed',
        `Failed: ${primaryOf(canary)} serves as before, and ${target} still asks for the template that failed.`,
      );
    default:
      return plain('unknown', `In the phase ${phase}, which Shiplog does not know.`);
  }
}

/** What is odd, or easily taken for it. */
export function notesOf(canary: FlaggerCanary): string[] {
  const { workload, phase, skipsAnalysis } = canary;
  const target = `${workload.kind} ${workload.name}`;
  const notes = [
    `${primaryOf(canary)} is a copy that Flagger writes with each promotion: change ${target} instead.`,
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
function primaryOf(canary: FlaggerCanary): string {
  return `${canary.workload.kind} ${copyNameOf(canary)}`;
}

/** What Flagger calls the copy that serves. */
export function copyNameOf({ workload: { name } }: FlaggerCanary): string {
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
        ? `${count(failedChecks, 'check')} failed`
        : `${failedChecks} of ${threshold} failed checks until it is rolled back`;
  const parts = [share, failed].filter((part) => part !== null);
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}

function gated(message: string, canary: FlaggerCanary, type: string): Said {
  const gates = canary.gates.filter((gate) => gate.type === type).map(({ name }) => name);
  const which = gates.length === 0 ? '' : ` (${listed(gates)})`;
  return {
    state: 'waiting',
    message: `${message}${which}${progressOf(canary)}.`,
    waitsFor: { kind: 'approval', text: NOT_FROM_HERE },
  };
}

function plain(state: RolloutState, message: string): Said {
  return { state, message, waitsFor: null };
}
