import { advancedDaemonSetRules, advancedDaemonSets } from '@/lib/workloads/advanced-daemon-set/strategy';
import { type TimeInput } from '@/lib/workloads/blockers';
import { type StatusInput } from '@/lib/workloads/kind';
import { kruiseStatus } from '@/lib/workloads/kruise/status';
import { numberAt } from '@/lib/kube/read';
import { type WorkloadStatus } from '@/lib/workloads/status';

/** The status of an Advanced DaemonSet. `kubectl-kruise rollout status` has no viewer for the kind. */
export function advancedDaemonSetStatus(input: StatusInput & TimeInput): WorkloadStatus {
  const { status } = input.workload;
  const { kind, group } = advancedDaemonSets;
  return kruiseStatus(input, {
    rules: advancedDaemonSetRules,
    counts: {
      updated: numberAt(status, 'updatedNumberScheduled') ?? 0,
      ready: numberAt(status, 'numberReady') ?? 0,
      available: numberAt(status, 'numberAvailable') ?? 0,
    },
    kubectl: {
      text: `error: no status viewer has been implemented for ${kind}.${group}`,
      verdict: 'error',
    },
  });
}
