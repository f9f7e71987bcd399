import type { Json } from '@/lib/kube/json';
import type { TableColumn } from '@/sandbox/api/objects/resource-kind';
import { selectorText } from '@/sandbox/api/objects/scale';
import {
  listOrEmptyAt,
  numberOrZeroAt,
  objectOrEmptyAt,
  showJson,
  type StoredObject,
  textOrEmptyAt,
} from '@/sandbox/api/objects/stored-object';

/** Age as the tables of kubectl show it: `36m`, `8m51s`, `3d4h`. */
function ageText(timestamp: string, now: number): string {
  const then = Date.parse(timestamp);
  return Number.isNaN(then) ? '<unknown>' : durationText(now - then);
}

/** https://github.com/kubernetes/apimachinery/blob/master/pkg/util/duration/duration.go */
function durationText(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  const [minutes, hours, days] = [60, 3_600, 86_400].map((unit) => Math.trunc(seconds / unit)) as [
    number,
    number,
    number,
  ];
  if (seconds < -1) return '<invalid>';
  if (seconds < 120) return `${Math.max(0, seconds)}s`;
  if (minutes < 10) return `${minutes}m${rest(seconds % 60, 's')}`;
  if (minutes < 180) return `${minutes}m`;
  if (hours < 8) return `${hours}h${rest(minutes % 60, 'm')}`;
  if (hours < 48) return `${hours}h`;
  return hours < 24 * 8 ? `${days}d${rest(hours % 24, 'h')}` : `${days}d`;
}

function rest(amount: number, unit: string): string {
  return amount === 0 ? '' : `${amount}${unit}`;
}

export const AGE: TableColumn = {
  name: 'Age',
  cell: ({ metadata }, now) => ageText(metadata.creationTimestamp, now),
};

function numberAt(name: string, ...path: string[]): TableColumn {
  return { name, cell: (object) => numberOrZeroAt(object, ...path) };
}

/** Only with `-o wide`. */
function wide(name: string, textOf: (object: StoredObject) => string): TableColumn {
  return { name, wide: true, cell: (object) => textOf(object) || '<none>' };
}

function ofContainers(field: string): (object: StoredObject) => string {
  return (object) => {
    const containers = listOrEmptyAt(object, 'spec', 'template', 'spec', 'containers');
    return containers.map((container) => textOrEmptyAt(container, field)).join(',');
  };
}

const CONTAINERS = [wide('Containers', ofContainers('name')), wide('Images', ofContainers('image'))];
const SELECTOR = wide('Selector', (object) => selectorText(objectOrEmptyAt(object, 'spec', 'selector')));
const READY: TableColumn = {
  name: 'Ready',
  cell: (object) =>
    `${numberOrZeroAt(object, 'status', 'readyReplicas')}/${numberOrZeroAt(object, 'spec', 'replicas')}`,
};

/**
 * Of the kinds that have more than a name and an age. Pods are without the states of init containers, and without
 * readiness gates, which none has. https://github.com/kubernetes/kubernetes/blob/master/pkg/printers/internalversion/printers.go
 */
export const COLUMNS: Readonly<Record<string, readonly TableColumn[]>> = {
  Namespace: [{ name: 'Status', cell: (namespace) => textOrEmptyAt(namespace, 'status', 'phase') }, AGE],
  Node: [
    { name: 'Status', cell: nodeStatus },
    { name: 'Roles', cell: () => '<none>' },
    AGE,
    { name: 'Version', cell: (node) => textOrEmptyAt(node, 'status', 'nodeInfo', 'kubeletVersion') },
  ],
  Pod: [
    { name: 'Ready', cell: readyContainers },
    { name: 'Status', cell: podStatus },
    { name: 'Restarts', cell: restarts },
    AGE,
    wide('IP', (pod) => textOrEmptyAt(listOrEmptyAt(pod, 'status', 'podIPs')[0], 'ip')),
    wide('Node', (pod) => textOrEmptyAt(pod, 'spec', 'nodeName')),
    wide('Nominated Node', () => ''),
    wide('Readiness Gates', () => ''),
  ],
  Deployment: [
    READY,
    numberAt('Up-to-date', 'status', 'updatedReplicas'),
    numberAt('Available', 'status', 'availableReplicas'),
    AGE,
    ...CONTAINERS,
    SELECTOR,
  ],
  ReplicaSet: [
    numberAt('Desired', 'spec', 'replicas'),
    numberAt('Current', 'status', 'replicas'),
    numberAt('Ready', 'status', 'readyReplicas'),
    AGE,
    ...CONTAINERS,
    SELECTOR,
  ],
  StatefulSet: [READY, AGE, ...CONTAINERS],
  DaemonSet: [
    numberAt('Desired', 'status', 'desiredNumberScheduled'),
    numberAt('Current', 'status', 'currentNumberScheduled'),
    numberAt('Ready', 'status', 'numberReady'),
    numberAt('Up-to-date', 'status', 'updatedNumberScheduled'),
    numberAt('Available', 'status', 'numberAvailable'),
    { name: 'Node Selector', cell: nodeSelector },
    AGE,
    ...CONTAINERS,
    SELECTOR,
  ],
  ControllerRevision: [
    { name: 'Controller', cell: controllerText },
    { name: 'Revision', cell: ({ revision = 0 }) => revision },
    AGE,
  ],
};

function nodeStatus(node: StoredObject): string {
  const isReady = listOrEmptyAt(node, 'status', 'conditions').some(
    (condition) =>
      textOrEmptyAt(condition, 'type') === 'Ready' && textOrEmptyAt(condition, 'status') === 'True',
  );
  const word = isReady ? 'Ready' : 'NotReady';
  return objectOrEmptyAt(node, 'spec').unschedulable === true ? `${word},SchedulingDisabled` : word;
}

function containersOf(pod: StoredObject): Json[] {
  return listOrEmptyAt(pod, 'status', 'containerStatuses');
}

function readyContainers(pod: StoredObject): string {
  const ready = containersOf(pod).filter((status) => {
    const { ready: isReady, state } = objectOrEmptyAt(status);
    return isReady === true && objectOrEmptyAt(state).running !== undefined;
  });
  return `${ready.length}/${listOrEmptyAt(pod, 'spec', 'containers').length}`;
}

/** The first container decides. */
function podStatus(pod: StoredObject): string {
  const phase = textOrEmptyAt(pod, 'status', 'phase');
  const hasEnded = phase === 'Succeeded' || phase === 'Failed';
  if (pod.metadata.deletionTimestamp !== undefined && !hasEnded) return 'Terminating';
  const words = containersOf(pod).map((status) => {
    const { waiting, terminated } = objectOrEmptyAt(status, 'state');
    return textOrEmptyAt(waiting, 'reason') || textOrEmptyAt(terminated, 'reason');
  });
  return words.find((word) => word !== '') ?? (textOrEmptyAt(pod, 'status', 'reason') || phase);
}

function restarts(pod: StoredObject, now: number): string {
  const statuses = containersOf(pod);
  const count = statuses.reduce<number>((sum, status) => sum + numberOrZeroAt(status, 'restartCount'), 0);
  const ends = statuses.map((status) => textOrEmptyAt(status, 'lastState', 'terminated', 'finishedAt'));
  const last = ends.sort().at(-1);
  return count > 0 && last ? `${count} (${ageText(last, now)} ago)` : String(count);
}

function nodeSelector(object: StoredObject): string {
  const labels = objectOrEmptyAt(object, 'spec', 'template', 'spec', 'nodeSelector');
  const texts = Object.entries(labels).map(([key, value]) => `${key}=${showJson(value)}`);
  return texts.sort().join(',') || '<none>';
}

function controllerText({ metadata }: StoredObject): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return '<none>';
  const [group, version] = owner.apiVersion.split('/');
  const kind = owner.kind.toLowerCase();
  return `${version === undefined ? kind : `${kind}.${group}`}/${owner.name}`;
}
