import { isJsonObject, type Json } from '@/lib/kube/json';
import { AGE, ageText } from '@/sandbox/api/columns/age';
import { type TableColumn } from '@/sandbox/api/objects/resource-kind';
import {
  listOrEmptyAt,
  numberOrZeroAt,
  objectOrEmptyAt,
  type StoredObject,
  textOrEmptyAt,
} from '@/sandbox/api/objects/stored-object';

interface PodTexts {
  ready: string;
  status: string;
  restarts: string;
}

/** https://github.com/kubernetes/kubernetes/blob/master/pkg/printers/internalversion/printers.go */
// prettier-ignore
export const POD_COLUMNS: readonly TableColumn[] = [
  { name: 'Ready', type: 'string', cell: (pod, now) => podTexts(pod, now).ready },
  { name: 'Status', type: 'string', cell: (pod, now) => podTexts(pod, now).status },
  { name: 'Restarts', type: 'string', cell: (pod, now) => podTexts(pod, now).restarts },
  AGE,
  { name: 'IP', type: 'string', wide: true, cell: (pod) => textOrEmptyAt(listOrEmptyAt(pod, 'status', 'podIPs')[0], 'ip') || '<none>' },
  { name: 'Node', type: 'string', wide: true, cell: (pod) => textOrEmptyAt(pod, 'spec', 'nodeName') || '<none>' },
  { name: 'Nominated Node', type: 'string', wide: true, cell: (pod) => textOrEmptyAt(pod, 'status', 'nominatedNodeName') || '<none>' },
  { name: 'Readiness Gates', type: 'string', wide: true, cell: readinessGates },
];

function readinessGates(pod: StoredObject): string {
  const gates = listOrEmptyAt(pod, 'spec', 'readinessGates').map((gate) =>
    textOrEmptyAt(gate, 'conditionType'),
  );
  const open = gates.filter((gate) => hasCondition(pod, gate));

  return gates.length === 0 ? '<none>' : `${open.length}/${gates.length}`;
}

function hasCondition(pod: StoredObject, type: string): boolean {
  return listOrEmptyAt(pod, 'status', 'conditions').some(
    (condition) => textOrEmptyAt(condition, 'type') === type && textOrEmptyAt(condition, 'status') === 'True',
  );
}

function podTexts(pod: StoredObject, now: number): PodTexts {
  const containers = listOrEmptyAt(pod, 'status', 'containerStatuses');
  const initial = initStatus(pod);
  const isStarted = initial.reason === undefined || hasCondition(pod, 'Initialized');
  const sidecars = listOrEmptyAt(pod, 'spec', 'initContainers').filter(isSidecar).length;
  const running = containers.filter(
    (status) =>
      objectOrEmptyAt(status, 'state').running !== undefined &&
      objectOrEmptyAt({ status }, 'status').ready === true,
  ).length;
  const counted = isStarted ? [...containers, ...initial.sidecars] : initial.statuses;
  const restarts = counted.reduce<number>((sum, status) => sum + numberOrZeroAt(status, 'restartCount'), 0);
  const last =
    counted
      .map((status) => textOrEmptyAt(status, 'lastState', 'terminated', 'finishedAt'))
      .sort()
      .at(-1) ?? '';

  return {
    ready: `${(isStarted ? running : 0) + initial.ready}/${listOrEmptyAt(pod, 'spec', 'containers').length + sidecars}`,
    status: deletionStatus(pod) ?? (isStarted ? containerStatus(pod, containers) : initial.reason) ?? '',
    restarts: restarts > 0 && last !== '' ? `${restarts} (${ageText(last, now)} ago)` : String(restarts),
  };
}

function isSidecar(container: Json): boolean {
  return textOrEmptyAt(container, 'restartPolicy') === 'Always';
}

function deletionStatus(pod: StoredObject): string | undefined {
  if (pod.metadata.deletionTimestamp === undefined) return undefined;
  if (textOrEmptyAt(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';

  return ['Succeeded', 'Failed'].includes(textOrEmptyAt(pod, 'status', 'phase')) ? undefined : 'Terminating';
}

function podStatus(pod: StoredObject): string {
  const isGated = listOrEmptyAt(pod, 'status', 'conditions').some(
    (condition) =>
      textOrEmptyAt(condition, 'type') === 'PodScheduled' &&
      textOrEmptyAt(condition, 'reason') === 'SchedulingGated',
  );

  return isGated
    ? 'SchedulingGated'
    : textOrEmptyAt(pod, 'status', 'reason') || textOrEmptyAt(pod, 'status', 'phase');
}

/** The first container decides, so the loop ends there. */
function containerStatus(pod: StoredObject, statuses: Json[]): string {
  let word = podStatus(pod);
  let error = '';
  let hasRunning = false;
  for (const status of statuses.toReversed()) {
    const { waiting, terminated, running } = objectOrEmptyAt(status, 'state');
    if (isJsonObject(waiting) && textOrEmptyAt(waiting, 'reason') !== '')
      word = textOrEmptyAt(waiting, 'reason');
    else if (isJsonObject(terminated)) {
      word = terminatedStatus(terminated);
      if (numberOrZeroAt(terminated, 'exitCode') !== 0) error = word;
    } else if (running !== undefined && objectOrEmptyAt({ status }, 'status').ready === true)
      hasRunning = true;
  }
  if (word !== 'Completed') return word;
  if (hasRunning && hasCondition(pod, 'Ready')) return 'Running';

  return error !== '' ? error : hasRunning ? 'NotReady' : word;
}

function terminatedStatus(terminated: Json): string {
  const signal = numberOrZeroAt(terminated, 'signal');

  return (
    textOrEmptyAt(terminated, 'reason') ||
    (signal === 0 ? `ExitCode:${numberOrZeroAt(terminated, 'exitCode')}` : `Signal:${signal}`)
  );
}

interface InitStatus {
  /** Undefined when all init containers have completed. */
  reason: string | undefined;
  ready: number;
  statuses: Json[];
  sidecars: Json[];
}

function initStatus(pod: StoredObject): InitStatus {
  const containers = listOrEmptyAt(pod, 'spec', 'initContainers');
  const statuses = listOrEmptyAt(pod, 'status', 'initContainerStatuses');
  const isSidecarStatus = (status: Json) =>
    containers.some(
      (container) =>
        isSidecar(container) && textOrEmptyAt(container, 'name') === textOrEmptyAt(status, 'name'),
    );
  const words: InitStatus = {
    reason: undefined,
    ready: 0,
    statuses: [],
    sidecars: statuses.filter(isSidecarStatus),
  };
  for (const [index, status] of statuses.entries()) {
    words.statuses.push(status);
    const { waiting, terminated } = objectOrEmptyAt(status, 'state');
    if (isJsonObject(terminated) && numberOrZeroAt(terminated, 'exitCode') === 0) continue;
    const { started, ready } = objectOrEmptyAt({ status }, 'status');
    if (isSidecarStatus(status) && started === true) {
      if (ready === true) words.ready += 1;
      continue;
    }
    const why = textOrEmptyAt(waiting, 'reason');
    if (isJsonObject(terminated)) words.reason = `Init:${terminatedStatus(terminated)}`;
    else if (why !== '' && why !== 'PodInitializing') words.reason = `Init:${why}`;
    else words.reason = `Init:${index}/${containers.length}`;
    return words;
  }
  return words;
}
