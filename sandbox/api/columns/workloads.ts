import { AGE } from '@/sandbox/api/columns/age';
import { type TableColumn } from '@/sandbox/api/objects/resource-kind';
import { selectorText } from '@/sandbox/api/objects/scale';
import {
  listOrEmptyAt,
  numberOrZeroAt,
  objectOrEmptyAt,
  showJson,
  type StoredObject,
  textOrEmptyAt,
} from '@/sandbox/api/objects/stored-object';

function statusNumber(name: string, field: string): TableColumn {
  return { name, type: 'integer', cell: (object) => numberOrZeroAt(object, 'status', field) };
}

function ofContainers(name: string, field: string): TableColumn {
  return {
    name,
    type: 'string',
    wide: true,
    cell: (object) =>
      listOrEmptyAt(object, 'spec', 'template', 'spec', 'containers')
        .map((container) => textOrEmptyAt(container, field))
        .join(','),
  };
}

const CONTAINERS = ofContainers('Containers', 'name');
const IMAGES = ofContainers('Images', 'image');
const SELECTOR: TableColumn = {
  name: 'Selector',
  type: 'string',
  wide: true,
  cell: (object) => selectorText(objectOrEmptyAt(object, 'spec', 'selector')) || '<none>',
};
const READY: TableColumn = {
  name: 'Ready',
  type: 'string',
  cell: (object) =>
    `${numberOrZeroAt(object, 'status', 'readyReplicas')}/${numberOrZeroAt(object, 'spec', 'replicas')}`,
};

/** https://github.com/kubernetes/kubernetes/blob/master/pkg/printers/internalversion/printers.go */
export const DEPLOYMENT_COLUMNS: readonly TableColumn[] = [
  READY,
  { ...statusNumber('Up-to-date', 'updatedReplicas'), type: 'string' },
  { ...statusNumber('Available', 'availableReplicas'), type: 'string' },
  AGE,
  CONTAINERS,
  IMAGES,
  SELECTOR,
];

export const REPLICA_SET_COLUMNS: readonly TableColumn[] = [
  { name: 'Desired', type: 'integer', cell: (object) => numberOrZeroAt(object, 'spec', 'replicas') },
  statusNumber('Current', 'replicas'),
  statusNumber('Ready', 'readyReplicas'),
  AGE,
  CONTAINERS,
  IMAGES,
  SELECTOR,
];

export const STATEFUL_SET_COLUMNS: readonly TableColumn[] = [READY, AGE, CONTAINERS, IMAGES];

export const DAEMON_SET_COLUMNS: readonly TableColumn[] = [
  statusNumber('Desired', 'desiredNumberScheduled'),
  statusNumber('Current', 'currentNumberScheduled'),
  statusNumber('Ready', 'numberReady'),
  statusNumber('Up-to-date', 'updatedNumberScheduled'),
  statusNumber('Available', 'numberAvailable'),
  { name: 'Node Selector', type: 'string', cell: nodeSelector },
  AGE,
  CONTAINERS,
  IMAGES,
  SELECTOR,
];

/** Sorted; `<none>` without any. */
function nodeSelector(object: StoredObject): string {
  const labels = objectOrEmptyAt(object, 'spec', 'template', 'spec', 'nodeSelector');
  const texts = Object.entries(labels).map(([key, value]) => `${key}=${showJson(value)}`);

  return texts.sort().join(',') || '<none>';
}

export const CONTROLLER_REVISION_COLUMNS: readonly TableColumn[] = [
  { name: 'Controller', type: 'string', cell: controllerText },
  { name: 'Revision', type: 'string', cell: ({ revision = 0 }) => revision },
  AGE,
];

function controllerText({ metadata }: StoredObject): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return '<none>';
  const [group, version] = owner.apiVersion.split('/');
  const kind = owner.kind.toLowerCase();

  return `${version === undefined ? kind : `${kind}.${group}`}/${owner.name}`;
}
