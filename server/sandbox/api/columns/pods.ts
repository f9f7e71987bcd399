import { isJsonObject, type Json } from '@/lib/kube/json';
import { AGE, ageText } from '@/server/sandbox/api/columns/age';
import { type Column } from '@/server/sandbox/api/resource-kind';
import { listAt, numberAt, objectAt, type StoredObject, textAt } from '@/server/sandbox/api/stored-object';

interface PodWords {
  ready: string;
  status: string;
  restarts: string;
}

/** https://github.com/kubernetes/kubernetes/blob/master/pkg/printers/internalversion/printers.go */
export const POD_COLUMNS: readonly Column[] = [
  { name: 'Ready', type: 'string', cell: (pod, now) => podWords(pod, now).ready },
  { name: 'Status', type: 'string', cell: (pod, now) => podWords(pod, now).status },
  { name: 'Restarts', type: 'string', cell: (pod, now) => podWords(pod, now).restarts },
  AGE,
  {
    name: 'IP',
    type: 'string',
    wide: true,
    cell: (pod) => textAt(listAt(pod, 'status', 'podIPs')[0], 'ip') || '<none>',
  },
  { name: 'Node', type: 'string', wide: true, cell: (pod) => textAt(pod, 'spec', 'nodeName') || '<none>' },
  {
    name: 'Nominated Node',
    type: 'string',
    wide: true,
    cell: (pod) => textAt(pod, 'status', 'nominatedNodeName') || '<none>',
  },
  { name: 'Readiness Gates', type: 'string', wide: true, cell: readinessGates },
];

function readinessGates(pod: StoredObject): string {
  const gates = listAt(pod, 'spec', 'readinessGates').map((gate) => textAt(gate, 'conditionType'));
  const open = gates.filter((gate) => hasCondition(pod, gate));

  return gates.length === 0 ? '<none>' : `${open.length}/${gates.length}`;
}

function hasCondition(pod: StoredObject, type: string): boolean {
  return listAt(pod, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === type && textAt(condition, 'status') === 'True',
  );
}

function podWords(pod: StoredObject, now: number): PodWords {
  const containers = listAt(pod, 'status', 'containerStatuses');
  const initial = initWords(pod);
  const isStarted = initial.reason === undefined || hasCondition(pod, 'Initialized');
  const sidecars = listAt(pod, 'spec', 'initContainers').filter(isSidecar).length;
  const running = containers.filter(
    (status) =>
      objectAt(status, 'state').running !== undefined && objectAt({ status }, 'status').ready === true,
  ).length;
  const counted = isStarted ? [...containers, ...initial.sidecars] : initial.statuses;
  const restarts = counted.reduce<number>((sum, status) => sum + numberAt(status, 'restartCount'), 0);
  const last =
    counted
      .map((status) => textAt(status, 'lastState', 'terminated', 'finishedAt'))
      .sort()
      .at(-1) ?? '';

  return {
    ready: `${(isStarted ? running : 0) + initial.ready}/${listAt(pod, 'spec', 'containers').length + sidecars}`,
    status: deletionWord(pod) ?? (isStarted ? containerWord(pod, containers) : initial.reason) ?? '',
    restarts: restarts > 0 && last !== '' ? `${restarts} (${ageText(last, now)} ago)` : String(restarts),
  };
}

function isSidecar(container: Json): boolean {
  return textAt(container, 'restartPolicy') === 'Always';
}

function deletionWord(pod: StoredObject): string | undefined {
  if (pod.metadata.deletionTimestamp === undefined) return undefined;
  if (textAt(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';

  return ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase')) ? undefined : 'Terminating';
}

function podWord(pod: StoredObject): string {
  const isGated = listAt(pod, 'status', 'conditions').some(
    (condition) =>
      textAt(condition, 'type') === 'PodScheduled' && textAt(condition, 'reason') === 'SchedulingGated',
  );

  return isGated ? 'SchedulingGated' : textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase');
}

/** The first container decides, so the last one is looked at first. */
function containerWord(pod: StoredObject, statuses: Json[]): string {
  let word = podWord(pod);
  let error = '';
  let hasRunning = false;
  for (const status of statuses.toReversed()) {
    const { waiting, terminated, running } = objectAt(status, 'state');
    if (isJsonObject(waiting) && textAt(waiting, 'reason') !== '') word = textAt(waiting, 'reason');
    else if (isJsonObject(terminated)) {
      word = terminatedWord(terminated);
      if (numberAt(terminated, 'exitCode') !== 0) error = word;
    } else if (running !== undefined && objectAt({ status }, 'status').ready === true) hasRunning = true;
  }
  if (word !== 'Completed') return word;
  if (hasRunning && hasCondition(pod, 'Ready')) return 'Running';

  return error !== '' ? error : hasRunning ? 'NotReady' : word;
}

function terminatedWord(terminated: Json): string {
  const signal = numberAt(terminated, 'signal');

  return (
    textAt(terminated, 'reason') ||
    (signal === 0 ? `ExitCode:${numberAt(terminated, 'exitCode')}` : `Signal:${signal}`)
  );
}

interface InitWords {
  /** Undefined when all init containers are through. */
  reason: string | undefined;
  ready: number;
  statuses: Json[];
  sidecars: Json[];
}

function initWords(pod: StoredObject): InitWords {
  const containers = listAt(pod, 'spec', 'initContainers');
  const statuses = listAt(pod, 'status', 'initContainerStatuses');
  const isSidecarStatus = (status: Json) =>
    containers.some(
      (container) => isSidecar(container) && textAt(container, 'name') === textAt(status, 'name'),
    );
  const words: InitWords = {
    reason: undefined,
    ready: 0,
    statuses: [],
    sidecars: statuses.filter(isSidecarStatus),
  };
  for (const [index, status] of statuses.entries()) {
    words.statuses.push(status);
    const { waiting, terminated } = objectAt(status, 'state');
    if (isJsonObject(terminated) && numberAt(terminated, 'exitCode') === 0) continue;
    const { started, ready } = objectAt({ status }, 'status');
    if (isSidecarStatus(status) && started === true) {
      if (ready === true) words.ready += 1;
      continue;
    }
    const why = textAt(waiting, 'reason');
    if (isJsonObject(terminated)) words.reason = `Init:${terminatedWord(terminated)}`;
    else if (why !== '' && why !== 'PodInitializing') words.reason = `Init:${why}`;
    else words.reason = `Init:${index}/${containers.length}`;
    return words;
  }
  return words;
}
