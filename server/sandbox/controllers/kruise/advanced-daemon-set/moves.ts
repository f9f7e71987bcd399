import { type DaemonHistory } from '@/server/sandbox/controllers/daemon-set/history';
import { type Moves } from '@/server/sandbox/controllers/daemon-set/rolling-update';
import { daemonTemplate, forNode, HASH_LABEL } from '@/server/sandbox/controllers/daemon-set/template';
import { createPod, deletePod } from '@/server/sandbox/controllers/engine/pod-control';
import { type World } from '@/server/sandbox/controllers/engine/world';
import {
  type AdvancedDaemonSet,
  isInPlace,
} from '@/server/sandbox/controllers/kruise/advanced-daemon-set/advanced-daemon-set';
import { hashOf } from '@/server/sandbox/controllers/kruise/advanced-daemon-set/turn';
import {
  changeInPlace,
  inPlaceChange,
  type InPlaceChange,
  withGate,
} from '@/server/sandbox/controllers/kruise/in-place';
import { type Pod, type Template } from '@/server/sandbox/controllers/objects/pod';
import { templateOf } from '@/server/sandbox/controllers/revisions/data';

const COMPONENT = 'daemonset-controller';
/** At most so many pods are created or deleted at a time. */
const BURST = 250;

/** Creates and deletes pods. */
export async function placePods(
  world: World,
  set: AdvancedDaemonSet,
  hash: string,
  { doomed, nodes }: Moves,
): Promise<void> {
  const template = gated(set, daemonTemplate(set, hash));
  try {
    await world.slowStart(nodes.slice(0, BURST), (node) =>
      createPod(world, COMPONENT, set, forNode(template, node)),
    );
  } finally {
    await world.each(doomed.slice(0, BURST), (pod) => deletePod(world, COMPONENT, set, pod));
  }
}

/** As `placePods`, where the doomed pods live on if they can take the new template so. */
export async function updatePods(
  world: World,
  set: AdvancedDaemonSet,
  history: DaemonHistory,
  { doomed, nodes }: Moves,
): Promise<void> {
  const hash = history.current.metadata.labels?.[HASH_LABEL] ?? '';
  const rest: Pod[] = [];
  for (const pod of doomed) {
    const change = isInPlace(set) && nodes.length === 0 ? changeOf(history, pod) : undefined;
    if (change === undefined) rest.push(pod);
    else await changeInPlace(world, pod, change, hash, { labels: { [HASH_LABEL]: hash } });
  }
  await placePods(world, set, hash, { doomed: rest, nodes });
}

/** Undefined also for a pod that is at the present revision, and has to go for another reason. */
function changeOf({ current, old }: DaemonHistory, pod: Pod): InPlaceChange | undefined {
  const present = old.find(({ metadata }) => metadata.labels?.[HASH_LABEL] === hashOf(pod));
  const from = present === undefined ? undefined : templateOf(present);
  const to = templateOf(current);
  return from === undefined || to === undefined ? undefined : inPlaceChange(from, to);
}

function gated(set: AdvancedDaemonSet, template: Template): Template {
  return isInPlace(set) ? { ...template, spec: withGate(template.spec) } : template;
}
