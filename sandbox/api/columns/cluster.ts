import { type Json } from '@/lib/kube/json';
import { AGE, ageText } from '@/sandbox/api/columns/age';
import { labelsText } from '@/sandbox/api/columns/workloads';
import { type TableColumn } from '@/sandbox/api/objects/resource-kind';
import {
  listOrEmptyAt,
  numberOrZeroAt,
  objectOrEmptyAt,
  showJson,
  type StoredObject,
  textOrEmptyAt,
} from '@/sandbox/api/objects/stored-object';

function text(name: string, cell: TableColumn['cell'], wide = false): TableColumn {
  return { name, type: 'string', cell, ...(wide ? { wide } : {}) };
}

function at(name: string, ...path: string[]): TableColumn {
  return text(name, (object) => textOrEmptyAt(object, ...path));
}

/** https://github.com/kubernetes/kubernetes/blob/master/pkg/printers/internalversion/printers.go */
export const NAMESPACE_COLUMNS: readonly TableColumn[] = [at('Status', 'status', 'phase'), AGE];

const ROLE = 'node-role.kubernetes.io/';

export const NODE_COLUMNS: readonly TableColumn[] = [
  text('Status', nodeStatus),
  text('Roles', ({ metadata }) => {
    const roles = Object.keys(metadata.labels ?? {}).filter((label) => label.startsWith(ROLE));
    return roles.length === 0
      ? '<none>'
      : roles
          .map((label) => label.slice(ROLE.length))
          .sort()
          .join(',');
  }),
  AGE,
  at('Version', 'status', 'nodeInfo', 'kubeletVersion'),
  text('Internal-IP', (node) => address(node, 'InternalIP'), true),
  text('External-IP', (node) => address(node, 'ExternalIP'), true),
  text('OS-Image', (node) => textOrEmptyAt(node, 'status', 'nodeInfo', 'osImage') || '<unknown>', true),
  text('Kernel-Version', kernel, true),
  text(
    'Container-Runtime',
    (node) => textOrEmptyAt(node, 'status', 'nodeInfo', 'containerRuntimeVersion') || '<unknown>',
    true,
  ),
];

function nodeStatus(node: StoredObject): string {
  const ready = listOrEmptyAt(node, 'status', 'conditions').find(
    (condition) => textOrEmptyAt(condition, 'type') === 'Ready',
  );
  const word =
    ready === undefined ? 'Unknown' : textOrEmptyAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady';

  return objectOrEmptyAt(node, 'spec').unschedulable === true ? `${word},SchedulingDisabled` : word;
}

function address(node: StoredObject, type: string): string {
  const found = listOrEmptyAt(node, 'status', 'addresses').find(
    (entry) => textOrEmptyAt(entry, 'type') === type,
  );

  return textOrEmptyAt(found, 'address') || '<none>';
}

function kernel(node: StoredObject): string {
  const { kernelVersion, architecture } = objectOrEmptyAt(node, 'status', 'nodeInfo');
  const version = typeof kernelVersion === 'string' && kernelVersion !== '' ? kernelVersion : '<unknown>';

  return typeof architecture === 'string' && architecture !== '' ? `${version} (${architecture})` : version;
}

export const EVENT_COLUMNS: readonly TableColumn[] = [
  text('Last Seen', lastSeen),
  at('Type', 'type'),
  at('Reason', 'reason'),
  text('Object', (event) => {
    const { kind, name } = objectOrEmptyAt(event, 'involvedObject');
    const lower = typeof kind === 'string' ? kind.toLowerCase() : '';
    return typeof name === 'string' && name !== '' ? `${lower}/${name}` : lower;
  }),
  { ...at('Subobject', 'involvedObject', 'fieldPath'), wide: true },
  text('Source', source, true),
  text('Message', (event) => textOrEmptyAt(event, 'message').trim()),
  text('First Seen', firstSeen, true),
  { name: 'Count', type: 'string', wide: true, cell: count },
  text('Name', ({ metadata }) => metadata.name, true),
];

function firstSeen(event: StoredObject, now: number): string {
  return ageText(event.firstTimestamp ?? event.eventTime, now);
}

function lastSeen(event: StoredObject, now: number): string {
  const observed = textOrEmptyAt(event, 'series', 'lastObservedTime');
  if (observed !== '') return ageText(observed, now);

  return typeof event.lastTimestamp === 'string' ? ageText(event.lastTimestamp, now) : firstSeen(event, now);
}

function count(event: StoredObject): Json {
  if (event.series !== undefined) return numberOrZeroAt(event, 'series', 'count');

  return numberOrZeroAt(event, 'count') || 1;
}

function source(event: StoredObject): string {
  const component = textOrEmptyAt(event, 'source', 'component') || textOrEmptyAt(event, 'reportingComponent');
  const host = textOrEmptyAt(event, 'source', 'host') || textOrEmptyAt(event, 'reportingInstance');

  return host === '' ? component : `${component}, ${host}`;
}

function size(...parts: string[]): TableColumn['cell'] {
  return (object) => parts.reduce((sum, part) => sum + Object.keys(objectOrEmptyAt(object, part)).length, 0);
}

export const CONFIG_MAP_COLUMNS: readonly TableColumn[] = [text('Data', size('data', 'binaryData')), AGE];
export const CUSTOM_RESOURCE_DEFINITION_COLUMNS: readonly TableColumn[] = [
  at('Created At', 'metadata', 'creationTimestamp'),
];
export const SECRET_COLUMNS: readonly TableColumn[] = [at('Type', 'type'), text('Data', size('data')), AGE];

export const SERVICE_COLUMNS: readonly TableColumn[] = [
  at('Type', 'spec', 'type'),
  text('Cluster-IP', (service) => textOrEmptyAt(service, 'spec', 'clusterIP') || '<none>'),
  text('External-IP', externalIp),
  text('Port(s)', (service) => {
    const ports = listOrEmptyAt(service, 'spec', 'ports').map((port) => {
      const node = numberOrZeroAt(port, 'nodePort');
      return `${numberOrZeroAt(port, 'port')}${node === 0 ? '' : `:${node}`}/${textOrEmptyAt(port, 'protocol')}`;
    });
    return ports.join(',') || '<none>';
  }),
  AGE,
  text('Selector', (service) => labelsText(objectOrEmptyAt(service, 'spec', 'selector')), true),
];

function externalIp(service: StoredObject): string {
  switch (textOrEmptyAt(service, 'spec', 'type')) {
    case 'ExternalName':
      return textOrEmptyAt(service, 'spec', 'externalName');
    case 'LoadBalancer':
      return listOrEmptyAt(service, 'spec', 'externalIPs').map(showJson).join(',') || '<pending>';
    default:
      return listOrEmptyAt(service, 'spec', 'externalIPs').map(showJson).join(',') || '<none>';
  }
}

export const INGRESS_COLUMNS: readonly TableColumn[] = [
  text('Class', (ingress) => textOrEmptyAt(ingress, 'spec', 'ingressClassName') || '<none>'),
  text('Hosts', (ingress) => {
    const hosts = listOrEmptyAt(ingress, 'spec', 'rules').map((rule) => textOrEmptyAt(rule, 'host'));
    return hosts.filter(Boolean).join(',') || '*';
  }),
  text('Address', () => ''),
  text('Ports', (ingress) => (listOrEmptyAt(ingress, 'spec', 'tls').length > 0 ? '80, 443' : '80')),
  AGE,
];

export const ENDPOINTS_COLUMNS: readonly TableColumn[] = [text('Endpoints', () => '<none>'), AGE];
