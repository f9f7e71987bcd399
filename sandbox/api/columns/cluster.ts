import { AGE } from '@/sandbox/api/columns/age';
import { type TableColumn } from '@/sandbox/api/objects/resource-kind';
import {
  listOrEmptyAt,
  objectOrEmptyAt,
  type StoredObject,
  textOrEmptyAt,
} from '@/sandbox/api/objects/stored-object';

/** https://github.com/kubernetes/kubernetes/blob/master/pkg/printers/internalversion/printers.go */
export const NAMESPACE_COLUMNS: readonly TableColumn[] = [
  { name: 'Status', type: 'string', cell: (namespace) => textOrEmptyAt(namespace, 'status', 'phase') },
  AGE,
];

export const NODE_COLUMNS: readonly TableColumn[] = [
  { name: 'Status', type: 'string', cell: nodeStatus },
  { name: 'Roles', type: 'string', cell: () => '<none>' },
  AGE,
  {
    name: 'Version',
    type: 'string',
    cell: (node) => textOrEmptyAt(node, 'status', 'nodeInfo', 'kubeletVersion'),
  },
];

function nodeStatus(node: StoredObject): string {
  const isReady = listOrEmptyAt(node, 'status', 'conditions').some(
    (condition) =>
      textOrEmptyAt(condition, 'type') === 'Ready' && textOrEmptyAt(condition, 'status') === 'True',
  );
  const word = isReady ? 'Ready' : 'NotReady';

  return objectOrEmptyAt(node, 'spec').unschedulable === true ? `${word},SchedulingDisabled` : word;
}
