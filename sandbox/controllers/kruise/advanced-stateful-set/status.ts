import { selectorText } from '@/sandbox/api/objects/scale';
import {
  type AdvancedStatefulSet,
  type AdvancedStatefulSetStatus,
} from '@/sandbox/controllers/kruise/advanced-stateful-set/advanced-stateful-set';
import { isChanging } from '@/sandbox/controllers/kruise/shared/in-place';
import { isAvailable, type Pod } from '@/sandbox/controllers/objects/pod';
import { revisionOfPod } from '@/sandbox/controllers/stateful-set/pods';
import { type ChosenRevisions } from '@/sandbox/controllers/stateful-set/revisions';
import { countPods, isRunningAndReady, statefulSetStatus } from '@/sandbox/controllers/stateful-set/status';

/**
 * As of a StatefulSet, with what is ready and available at the update revision.
 * https://github.com/openkruise/kruise/blob/master/pkg/controller/statefulset/stateful_set_control.go (updateStatefulSet)
 */
export function advancedStatus(
  set: AdvancedStatefulSet,
  chosen: ChosenRevisions,
  pods: readonly Pod[],
  now: number,
): AdvancedStatefulSetStatus {
  const { minReadySeconds, selector } = set.spec;
  const settled = pods.filter((pod) => !isChanging(pod));
  const ready = settled.filter(
    (pod) => isRunningAndReady(pod) && revisionOfPod(pod) === chosen.update.metadata.name,
  );
  const counts = countPods(pods, chosen, minReadySeconds, now);
  const { readyReplicas, availableReplicas } = countPods(settled, chosen, minReadySeconds, now);
  return {
    ...statefulSetStatus(set, chosen, { ...counts, readyReplicas, availableReplicas }),
    ...(ready.length === 0 ? {} : { updatedReadyReplicas: ready.length }),
    updatedAvailableReplicas: ready.filter((pod) => isAvailable(pod, minReadySeconds, now)).length,
    labelSelector: selectorText(selector),
  };
}
