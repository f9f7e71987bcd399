import { advancedStatefulSetRules } from '@/lib/workloads/advanced-stateful-set/strategy';
import { type TimeInput } from '@/lib/workloads/blockers';
import { type StatusInput } from '@/lib/workloads/kind';
import { countsOfPods } from '@/lib/workloads/kruise/counts';
import { kruiseStatus } from '@/lib/workloads/kruise/status';
import { numberAt, textAt } from '@/lib/kube/read';
import { type WorkloadStatus } from '@/lib/workloads/status';
import { type Workload } from '@/lib/history/workload';
import { isObservedOnce } from '@/lib/workloads/observed-generation';

/**
 * The status of an Advanced StatefulSet, from the same facts as `kubectl-kruise rollout status`, and more
 * detailed.
 */
export function advancedStatefulSetStatus(input: StatusInput & TimeInput): WorkloadStatus {
  const { workload } = input;
  return kruiseStatus(input, {
    rules: advancedStatefulSetRules,
    counts: countsOfPods(workload),
    kubectl: kubectlStatus(workload),
  });
}

/** https://github.com/openkruise/kruise-tools/blob/master/pkg/internal/polymorphichelpers/rollout_status.go */
function kubectlStatus(workload: Workload): WorkloadStatus['kubectl'] {
  const { spec, status } = workload;
  const { updated, ready, available } = countsOfPods(workload);
  const replicas = numberAt(spec, 'replicas');
  const partition = numberAt(spec, 'updateStrategy', 'rollingUpdate', 'partition');
  const isRolling = textAt(spec, 'updateStrategy', 'type') === 'RollingUpdate';
  if (isRolling && replicas !== undefined && partition !== undefined && updated < replicas - partition)
    return {
      text: `Waiting for partitioned roll out to finish:${updated} out of ${replicas - partition} new pods has been updated...`,
      verdict: 'waiting',
    };
  if (!isObservedOnce(workload))
    return { text: 'Waiting for Advanced StatefulSet spec update to be observed...', verdict: 'waiting' };
  if (replicas !== undefined && ready < replicas)
    return { text: `Waiting for ${replicas - ready} pods to be ready...`, verdict: 'waiting' };
  const update = textAt(status, 'updateRevision') ?? '';
  return {
    text: `Advanced StatefulSet rolling update complete ${available} pods at revision ${update}...`,
    verdict: 'done',
  };
}
