import { formatNames, formatUtc } from '@/lib/format/text';
import type { PodSummary } from '@/lib/history/pod';
import { isStuck } from '@/lib/pods/blockers';
import type { RollbackInput, StatusInput, WorkloadKind } from '@/lib/workloads/kind';
import { finding, type Finding } from '@/lib/workloads/plan';

/** Pods that should have ended by now, where the controller waits for their end. */
export function findLatePods(kind: Pick<WorkloadKind, 'facts'>, input: StatusInput): readonly PodSummary[] {
  const { now } = input;
  const late = input.pods.filter(({ block }) => block?.kind === 'terminating' && isStuck(block, { now }));
  return late.length > 0 && kind.facts(input).waitsForDeletion ? late : [];
}

/**
 * What keeps a pod from ending, and what to do about it, by the reason of its block.
 * https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/#non-graceful-node-shutdown
 */
const CAUSES: Readonly<Record<string, readonly [cause: string, action: string]>> = {
  NodeLost: [
    'on a node that does not respond',
    'Restart the node. If it is shut down, add the taint node.kubernetes.io/out-of-service to it.',
  ],
  Finalizers: ['held by a finalizer', 'Check the controller that removes the finalizer.'],
};
const OTHER_CAUSE = [
  'long past its grace period',
  'Check its node. A forced deletion can leave its containers running.',
] as const;

/** A warning for each reason for which pods do not end. */
export function checkLatePods({ latePods = [] }: Pick<RollbackInput, 'latePods'>): Finding[] {
  return [...Map.groupBy(latePods, ({ block }) => block?.reason ?? '')].map(([reason, pods]) => {
    const [cause, action] = CAUSES[reason] ?? OTHER_CAUSE;
    const since = pods.map(({ deletedAt }) => deletedAt ?? '').sort()[0] ?? '';
    const [have, they] = pods.length === 1 ? ['has', 'It has'] : ['have', 'They have'];
    const message = `The rollback cannot complete until ${formatNames(pods)} ${have} ended. ${they} been terminating since ${formatUtc(since)}, ${cause}.`;
    return finding('warning', 'late_pods', message, action);
  });
}
