import 'server-only';
import { hash } from 'node:crypto';
import type { RevisionHistory } from '@/lib/history/revision';
import { desiredTemplate } from '@/lib/workloads/desired-template';
import type { WorkloadKind } from '@/lib/workloads/kind';
import type { Workload } from '@/lib/history/workload';
import type { Cluster } from '@/server/cluster/cluster';
import type { Keys } from '@/server/shared/keys';
import type { RolloutView } from '@/server/views/rollout-view';

/** The precondition token: identifies the workload and its desired template that a viewer looked at. */
export function workloadPreconditionToken(
  keys: Pick<Keys, 'preconditionToken'>,
  clusterId: string,
  input: { kind: WorkloadKind; workload: Workload; history: RevisionHistory },
): string {
  return keys.preconditionToken(clusterId, input.workload.uid, desiredTemplate(input)?.bodyId ?? '');
}

/** A digest of everything that an action on the rollout depends on. */
export function rolloutPreconditionToken(
  { identity }: Pick<Cluster, 'identity'>,
  keys: Keys,
  { system, input }: Pick<RolloutView, 'system' | 'input'>,
): string {
  return keys.preconditionToken(
    identity.id,
    input.object.uid,
    hash('sha256', system.preconditionText(input), 'base64url'),
  );
}
