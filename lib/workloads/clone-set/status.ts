import { cloneSetRules } from '@/lib/workloads/clone-set/strategy';
import { type TimeInput } from '@/lib/workloads/blockers';
import { type StatusInput } from '@/lib/workloads/kind';
import { countsOfPods } from '@/lib/workloads/kruise/counts';
import { kruiseStatus } from '@/lib/workloads/kruise/status';
import { numberAt, textAt, valueAt } from '@/lib/kube/read';
import { type WorkloadStatus } from '@/lib/workloads/status';
import { type Workload } from '@/lib/history/workload';
import { isObservedOnce } from '@/lib/workloads/observed-generation';

/** The status of a CloneSet, from the same facts as `kubectl-kruise rollout status`, and more detailed. */
export function cloneSetStatus(input: StatusInput & TimeInput): WorkloadStatus {
  const { workload } = input;
  return kruiseStatus(input, {
    rules: cloneSetRules,
    counts: countsOfPods(workload),
    kubectl: kubectlStatus(workload),
  });
}

/**
 * The tool knows only the members of v1alpha1, reads the partition only for updates in place, and reads a
 * percentage as 0.
 * https://github.com/openkruise/kruise-tools/blob/master/pkg/internal/polymorphichelpers/rollout_status.go
 */
function kubectlStatus(workload: Workload): WorkloadStatus['kubectl'] {
  const { spec, status } = workload;
  const { updated, ready, available } = countsOfPods(workload);
  const replicas = numberAt(spec, 'replicas');
  const type = textAt(spec, 'updateStrategy', 'type');
  const partition = valueAt(spec, 'updateStrategy', 'partition');
  const isInPlace = type === 'InPlaceIfPossible' || type === 'InPlaceOnly';
  if (isInPlace && replicas !== undefined && partition !== undefined) {
    const goal = replicas - (typeof partition === 'number' ? partition : 0);
    if (updated < goal)
      return {
        text: `Waiting for partitioned roll out to finish: ${updated} out of ${goal} new pods have been updated...`,
        verdict: 'waiting',
      };
  }
  if (!isObservedOnce(workload))
    return { text: 'Waiting for CloneSet spec update to be observed...', verdict: 'waiting' };
  if (replicas !== undefined && ready < replicas)
    return { text: `Waiting for ${replicas - ready} pods to be ready...`, verdict: 'waiting' };
  const update = textAt(status, 'updateRevision') ?? '';
  return {
    text: `CloneSet rolling update complete ${available} pods at revision ${update}...`,
    verdict: 'done',
  };
}
