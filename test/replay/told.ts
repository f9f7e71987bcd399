import { type RolloutRecord } from '@/lib/ledger/record';
import { type Rollout } from '@/lib/rollout/rollout';
import { type WorkloadStatus } from '@/lib/workloads/status';

/** What a row says of a workload: `held: partition 3: …`. */
export function toldOf(status: WorkloadStatus | null): string {
  return status === null ? 'not there' : `${status.state}: ${status.message}`;
}

/** What a row says of a Rollout: `waiting 1/3: Step 1 of 3 waits for approval.` */
export function toldOfRollout(rollout: Rollout | null): string {
  if (rollout === null) return 'not there';
  const { state, message, step } = rollout;
  return `${state} ${step.index}/${step.total}: ${message}`;
}

/** `1 -> 2 completed`; `open` while it goes on. */
export function passageOf({ from, to, outcome }: RolloutRecord): string {
  return `${from?.number ?? '?'} -> ${to.number ?? '?'} ${outcome ?? 'open'}`;
}

/** `Partition 3 completed: a, b` */
export function stepsOf({ steps }: RolloutRecord): string[] {
  return steps.map(({ name, state, pods }) => `${name} ${state}: ${pods.map((pod) => pod.name).join(', ')}`);
}
