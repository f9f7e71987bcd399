import { type DaemonHistory } from '@/sandbox/controllers/daemon-set/history';
import { type Moves } from '@/sandbox/controllers/daemon-set/rolling-update';
import { daemonTemplate, forNode, HASH_LABEL } from '@/sandbox/controllers/daemon-set/template';
import { createPod, deletePod } from '@/sandbox/controllers/engine/pod-control';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import {
  type AdvancedDaemonSet,
  isInPlace,
} from '@/sandbox/controllers/kruise/advanced-daemon-set/advanced-daemon-set';
import { hashOf } from '@/sandbox/controllers/kruise/advanced-daemon-set/update-order';
import {
  changeInPlace,
  inPlaceChange,
  type InPlaceChange,
  withGate,
} from '@/sandbox/controllers/kruise/shared/in-place';
import { type Pod, type PodTemplateSpec } from '@/sandbox/controllers/objects/pod';
import { templateOf } from '@/sandbox/controllers/revisions/data';

const COMPONENT = 'daemonset-controller';
/** At most so many pods are created or deleted at a time. */
const BURST = 250;

/** Creates and deletes pods. */
export async function placePods(
  manager: ControllerManager,
  set: AdvancedDaemonSet,
  hash: string,
  { removed, nodes }: Moves,
): Promise<void> {
  const template = gated(set, daemonTemplate(set, hash));
  try {
    await manager.slowStart(nodes.slice(0, BURST), (node) =>
      createPod(manager, COMPONENT, set, forNode(template, node)),
    );
  } finally {
    await manager.each(removed.slice(0, BURST), (pod) => deletePod(manager, COMPONENT, set, pod));
  }
}

/** Like `placePods`, but pods to be deleted are updated in place where the new template allows it. */
export async function updatePods(
  manager: ControllerManager,
  set: AdvancedDaemonSet,
  history: DaemonHistory,
  { removed, nodes }: Moves,
): Promise<void> {
  const hash = history.current.metadata.labels?.[HASH_LABEL] ?? '';
  const rest: Pod[] = [];
  for (const pod of removed) {
    const change = isInPlace(set) && nodes.length === 0 ? changeOf(history, pod) : undefined;
    if (change === undefined) rest.push(pod);
    else await changeInPlace(manager, pod, change, hash, { labels: { [HASH_LABEL]: hash } });
  }
  await placePods(manager, set, hash, { removed: rest, nodes });
}

/** Undefined also for a pod of the current revision that is deleted for another reason. */
function changeOf({ current, old }: DaemonHistory, pod: Pod): InPlaceChange | undefined {
  const present = old.find(({ metadata }) => metadata.labels?.[HASH_LABEL] === hashOf(pod));
  const from = present === undefined ? undefined : templateOf(present);
  const to = templateOf(current);
  return from === undefined || to === undefined ? undefined : inPlaceChange(from, to);
}

function gated(set: AdvancedDaemonSet, template: PodTemplateSpec): PodTemplateSpec {
  return isInPlace(set) ? { ...template, spec: withGate(template.spec) } : template;
}
