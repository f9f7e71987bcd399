import { type Json, type JsonObject } from '@/lib/kube/json';
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
export const SERVICE_ACCOUNT_COLUMNS: readonly TableColumn[] = [AGE];

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

const MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

export const CLAIM_COLUMNS: readonly TableColumn[] = [
  text('Status', (claim) =>
    claim.metadata.deletionTimestamp === undefined ? textOrEmptyAt(claim, 'status', 'phase') : 'Terminating',
  ),
  at('Volume', 'spec', 'volumeName'),
  text('Capacity', (claim) =>
    textOrEmptyAt(claim, 'spec', 'volumeName') === ''
      ? ''
      : textOrEmptyAt(claim, 'status', 'capacity', 'storage'),
  ),
  text('Access Modes', (claim) =>
    textOrEmptyAt(claim, 'spec', 'volumeName') === ''
      ? ''
      : listOrEmptyAt(claim, 'status', 'accessModes')
          .map((mode) => MODES[showJson(mode)] ?? showJson(mode))
          .join(','),
  ),
  at('StorageClass', 'spec', 'storageClassName'),
  text(
    'VolumeAttributesClass',
    (claim) => textOrEmptyAt(claim, 'spec', 'volumeAttributesClassName') || '<unset>',
  ),
  AGE,
  text('VolumeMode', (claim) => textOrEmptyAt(claim, 'spec', 'volumeMode') || '<unset>', true),
];

export const QUOTA_COLUMNS: readonly TableColumn[] = [
  text('Request', (quota) => quotaText(quota, false)),
  text('Limit', (quota) => quotaText(quota, true)),
  AGE,
];

function quotaText(quota: StoredObject, isLimit: boolean): string {
  const used = objectOrEmptyAt(quota, 'status', 'used');

  return Object.entries(objectOrEmptyAt(quota, 'status', 'hard'))
    .filter(([name]) => name.startsWith('limits.') === isLimit)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, amount]) => `${name}: ${amountText(used[name])}/${amountText(amount)}`)
    .join(', ');
}

function amountText(amount: Json | undefined): string {
  return typeof amount === 'string' ? amount : '0';
}

export const LIMIT_RANGE_COLUMNS: readonly TableColumn[] = [
  text('Created At', ({ metadata }) => metadata.creationTimestamp),
];

export const BUDGET_COLUMNS: readonly TableColumn[] = [
  text('Min Available', (budget) => orNone(objectOrEmptyAt(budget, 'spec').minAvailable)),
  text('Max Unavailable', (budget) => orNone(objectOrEmptyAt(budget, 'spec').maxUnavailable)),
  {
    name: 'Allowed Disruptions',
    type: 'integer',
    cell: (budget) => numberOrZeroAt(budget, 'status', 'disruptionsAllowed'),
  },
  AGE,
];

function orNone(amount: Json | undefined): string {
  return typeof amount === 'string' || typeof amount === 'number' ? String(amount) : 'N/A';
}

export const AUTOSCALER_COLUMNS: readonly TableColumn[] = [
  text(
    'Reference',
    (scaler) =>
      `${textOrEmptyAt(scaler, 'spec', 'scaleTargetRef', 'kind')}/${textOrEmptyAt(scaler, 'spec', 'scaleTargetRef', 'name')}`,
  ),
  text('Targets', targets),
  text('MinPods', (scaler) => String(numberOrZeroAt(scaler, 'spec', 'minReplicas'))),
  text('MaxPods', (scaler) => numberOrZeroAt(scaler, 'spec', 'maxReplicas')),
  text('Replicas', (scaler) => numberOrZeroAt(scaler, 'status', 'currentReplicas')),
  AGE,
];

const TARGETS_SHOWN = 2;

function targets(scaler: StoredObject): string {
  const current = listOrEmptyAt(scaler, 'status', 'currentMetrics');
  const texts = listOrEmptyAt(scaler, 'spec', 'metrics').map((metric, index) =>
    target(metric, current[index]),
  );
  if (texts.length === 0) return '<none>';
  const more = texts.length - TARGETS_SHOWN;

  return `${texts.slice(0, TARGETS_SHOWN).join(', ')}${more > 0 ? ` + ${more} more...` : ''}`;
}

function target(metric: Json, current: Json | undefined): string {
  const type = textOrEmptyAt(metric, 'type');
  const key = `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
  const wanted = objectOrEmptyAt(metric, key, 'target');
  const found = objectOrEmptyAt(current, key, 'current');
  const name =
    type === 'Resource' || type === 'ContainerResource' ? `${textOrEmptyAt(metric, key, 'name')}: ` : '';

  return `${name}${metricText(found, '<unknown>')}/${metricText(wanted, '<auto>')}`;
}

function metricText({ averageUtilization, averageValue, value }: JsonObject, otherwise: string): string {
  if (typeof averageUtilization === 'number') return `${averageUtilization}%`;
  const amount = averageValue ?? value;

  return typeof amount === 'string' ? amount : otherwise;
}

export const LEASE_COLUMNS: readonly TableColumn[] = [at('Holder', 'spec', 'holderIdentity'), AGE];
