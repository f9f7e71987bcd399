import { type Json } from '@/lib/kube/json';
import { AGE, ageText } from '@/sandbox/api/columns/age';
import { type TableColumn } from '@/sandbox/api/objects/resource-kind';
import {
  listOrEmptyAt,
  numberOrZeroAt,
  objectOrEmptyAt,
  type StoredObject,
  textOrEmptyAt,
} from '@/sandbox/api/objects/stored-object';

/**
 * Without the states of init containers, and without readiness gates, which no pod of the sandbox has.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/printers/internalversion/printers.go
 */
export const POD_COLUMNS: readonly TableColumn[] = [
  { name: 'Ready', type: 'string', cell: ready },
  { name: 'Status', type: 'string', cell: statusText },
  { name: 'Restarts', type: 'string', cell: restarts },
  AGE,
  wide('IP', (pod) => textOrEmptyAt(listOrEmptyAt(pod, 'status', 'podIPs')[0], 'ip')),
  wide('Node', (pod) => textOrEmptyAt(pod, 'spec', 'nodeName')),
  wide('Nominated Node', () => ''),
  wide('Readiness Gates', () => ''),
];

function wide(name: string, textOf: (pod: StoredObject) => string): TableColumn {
  return { name, type: 'string', wide: true, cell: (pod) => textOf(pod) || '<none>' };
}

function containersOf(pod: StoredObject): Json[] {
  return listOrEmptyAt(pod, 'status', 'containerStatuses');
}

function ready(pod: StoredObject): string {
  const running = containersOf(pod).filter((status) => {
    const { ready: isReady, state } = objectOrEmptyAt(status);
    return isReady === true && objectOrEmptyAt(state).running !== undefined;
  });

  return `${running.length}/${listOrEmptyAt(pod, 'spec', 'containers').length}`;
}

/** The first container decides. */
function statusText(pod: StoredObject): string {
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
  const count = containersOf(pod).reduce<number>(
    (sum, status) => sum + numberOrZeroAt(status, 'restartCount'),
    0,
  );
  const last = containersOf(pod)
    .map((status) => textOrEmptyAt(status, 'lastState', 'terminated', 'finishedAt'))
    .sort()
    .at(-1);

  return count > 0 && last ? `${count} (${ageText(last, now)} ago)` : String(count);
}
