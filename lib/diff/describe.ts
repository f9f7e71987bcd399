import { type Change, type Concern } from '@/lib/diff/change';
import { entryName } from '@/lib/diff/entry';
import { imageTexts, pairOfTexts, singleText, valueText } from '@/lib/diff/value-text';
import { type Difference, type Step } from '@/lib/diff/walk';
import { fieldWords, ordinal } from '@/lib/diff/words';
import { parseImage } from '@/lib/kube/image';
import { type Json } from '@/lib/kube/json';

/** Where a difference is, seen from its container, or from the pod if it is in none. */
export interface Scope {
  container: string | null;
  containerKind: Change['containerKind'];
  /** Field names below the container, below `spec`, or from `metadata` on. */
  fields: readonly string[];
  /** Names of the list entries and map keys on the way. */
  names: readonly string[];
}

const CONTAINER_KINDS: Readonly<Record<string, NonNullable<Change['containerKind']>>> = {
  containers: 'container',
  initContainers: 'init',
  ephemeralContainers: 'ephemeral',
};

/** Concern of a field of a container; what is not listed is `other`. */
const CONTAINER_CONCERNS: Readonly<Record<string, Concern>> = {
  image: 'image',
  imagePullPolicy: 'image',
  env: 'env',
  envFrom: 'env',
  resources: 'resources',
  resizePolicy: 'resources',
  livenessProbe: 'probes',
  readinessProbe: 'probes',
  startupProbe: 'probes',
  volumeMounts: 'volumes',
  volumeDevices: 'volumes',
  securityContext: 'security',
};

/** The same for the pod. */
const POD_CONCERNS: Readonly<Record<string, Concern>> = {
  metadata: 'metadata',
  imagePullSecrets: 'image',
  overhead: 'resources',
  resources: 'resources',
  resourceClaims: 'resources',
  volumes: 'volumes',
  securityContext: 'security',
  hostNetwork: 'security',
  hostPID: 'security',
  hostIPC: 'security',
  hostUsers: 'security',
  shareProcessNamespace: 'security',
  serviceAccountName: 'security',
  automountServiceAccountToken: 'security',
  nodeSelector: 'scheduling',
  nodeName: 'scheduling',
  affinity: 'scheduling',
  tolerations: 'scheduling',
  topologySpreadConstraints: 'scheduling',
  schedulerName: 'scheduling',
  schedulingGates: 'scheduling',
  schedulingGroup: 'scheduling',
  priorityClassName: 'scheduling',
  priority: 'scheduling',
  preemptionPolicy: 'scheduling',
  runtimeClassName: 'scheduling',
  os: 'scheduling',
};

const PROBES: Readonly<Record<string, string>> = {
  livenessProbe: 'liveness',
  readinessProbe: 'readiness',
  startupProbe: 'startup',
};

const HOOKS: Readonly<Record<string, string>> = { preStop: 'pre-stop hook', postStart: 'post-start hook' };

const AFFINITIES: Readonly<Record<string, string>> = {
  nodeAffinity: 'node affinity',
  podAffinity: 'pod affinity',
  podAntiAffinity: 'pod anti-affinity',
};

/** Members of a volume that say which thing it is, and not how it is mounted. */
const VOLUME_NAMES = new Set(['name', 'secretName', 'claimName', 'path', 'reference', 'server']);

/** Labels of fields whose words would not do. */
const LABELS: Readonly<Record<string, string>> = {
  imagePullPolicy: 'pull policy',
  serviceAccountName: 'service account',
  automountServiceAccountToken: 'service account token',
  priorityClassName: 'priority class',
  runtimeClassName: 'runtime class',
  schedulerName: 'scheduler',
  workingDir: 'working directory',
  readOnlyRootFilesystem: 'read-only root file system',
  allowPrivilegeEscalation: 'privilege escalation',
  seccompProfile: 'seccomp profile',
  appArmorProfile: 'AppArmor profile',
  seLinuxOptions: 'SELinux options',
  dnsPolicy: 'DNS policy',
  dnsConfig: 'DNS',
  activeDeadlineSeconds: 'active deadline',
};

/** Lists of which the order does something, and what. */
const ORDER_NOTES: Readonly<Record<string, string>> = {
  initContainers: 'order counts here: init containers run one after another',
  env: 'order counts here: a value may refer to those before it',
  envFrom: 'order counts here: later sources win',
  containers: 'order is a hint for starting',
};

/** Where a difference is, read from the steps that lead to it. */
export function scopeOf(steps: readonly Step[]): Scope {
  const [first, second, third] = steps;
  const containerKind = first?.name === 'spec' ? CONTAINER_KINDS[second?.name ?? ''] : undefined;
  const isInside = containerKind !== undefined && third?.kind === 'entry';
  const local = steps.slice(isInside ? 3 : first?.name === 'spec' && steps.length > 1 ? 1 : 0);
  return {
    container: isInside ? third.name : null,
    containerKind: isInside ? containerKind : null,
    fields: local.filter((step) => step.kind === 'field').map((step) => step.name),
    names: local.filter((step) => step.kind !== 'field').map((step) => step.name),
  };
}

export function concernOf(scope: Scope): Concern {
  const concerns = scope.container === null ? POD_CONCERNS : CONTAINER_CONCERNS;
  return concerns[scope.fields[0] ?? ''] ?? 'other';
}

/** A short name for what differs: `memory limit`, `readiness path`, `env LOG_LEVEL`. */
export function labelOf(scope: Scope): string {
  return scope.container === null ? podLabel(scope) : containerLabel(scope, scope.container);
}

function containerLabel({ fields, names, containerKind }: Scope, container: string): string {
  const [first = '', second = ''] = fields;
  const [name = ''] = names;
  const last = fields.at(-1) ?? '';
  const probe = PROBES[first];
  if (probe !== undefined) return probeLabel(probe, fields, name);
  switch (first) {
    case '':
      return `${containerKind === 'container' ? 'container' : containerKind} ${container}`;
    case 'env':
      return `env ${name}`;
    case 'envFrom':
      return `env from ${name}`;
    case 'resources':
      return resourceLabel(second, name);
    case 'volumeMounts':
      return `mount ${name}`;
    case 'volumeDevices':
      return `device ${name}`;
    case 'ports':
      return `port ${name}`;
    case 'lifecycle':
      return HOOKS[second] ?? labelOfField(last);
    case 'securityContext':
      return securityLabel(fields, name);
    default:
      return join(labelOfField(last), name);
  }
}

function podLabel({ fields, names }: Scope): string {
  const [first = '', second = ''] = fields;
  const [name = ''] = names;
  const last = fields.at(-1) ?? '';
  switch (first) {
    case 'metadata':
      return join(
        second === 'labels' ? 'label' : second === 'annotations' ? 'annotation' : labelOfField(last),
        name,
      );
    case 'volumes':
      return volumeLabel(fields, names);
    case 'nodeSelector':
      return `node selector ${name}`;
    case 'tolerations':
      return `toleration ${name}`;
    case 'affinity':
      return affinityLabel(fields);
    case 'topologySpreadConstraints':
      return join(`spread over ${name.replace(/,.*/, '')}`, fields.length > 1 ? labelOfField(last) : '');
    case 'imagePullSecrets':
      return `pull secret ${name}`;
    case 'overhead':
      return `${name} overhead`;
    case 'resources':
      return `pod ${resourceLabel(second, name)}`;
    case 'hostAliases':
      return `host alias ${name}`;
    case 'resourceClaims':
      return `resource claim ${name}`;
    case 'securityContext':
      return securityLabel(fields, name);
    default:
      return join(
        first === last ? labelOfField(first) : `${labelOfField(first)} ${labelOfField(last)}`,
        name,
      );
  }
}

function probeLabel(probe: string, fields: readonly string[], name: string): string {
  if (fields.length === 1) return `${probe} probe`;
  if (fields.includes('httpHeaders')) return join(`${probe} header`, name);
  return `${probe} ${labelOfField(fields.at(-1) ?? '')}`;
}

function resourceLabel(list: string, name: string): string {
  if (list === 'limits' || list === 'requests') return `${name} ${list.slice(0, -1)}`;
  return list === 'claims' ? `resource claim ${name}` : join('resources', name);
}

function securityLabel(fields: readonly string[], name: string): string {
  if (fields.length === 1) return 'security context';
  if (fields[1] === 'capabilities' && name !== '')
    return `${fields[2] === 'drop' ? 'dropped ' : ''}capability ${name}`;
  if (fields[1] === 'sysctls') return `sysctl ${name}`;
  return join(labelOfField(fields.at(-1) ?? ''), name);
}

function volumeLabel(fields: readonly string[], names: readonly string[]): string {
  const [name = '', item = ''] = names;
  const last = fields.at(-1) ?? '';
  if (item !== '') return `volume ${name} ${item}`;
  const isDetail = fields.length > 1 && !VOLUME_NAMES.has(last);
  return join(`volume ${name}`, isDetail ? labelOfField(last) : '');
}

function affinityLabel(fields: readonly string[]): string {
  const [, kind = '', term = ''] = fields;
  const strength = term.startsWith('required')
    ? ' (required)'
    : term.startsWith('preferred')
      ? ' (preferred)'
      : '';
  return `${AFFINITIES[kind] ?? 'affinity'}${strength}`;
}

function labelOfField(field: string): string {
  return LABELS[field] ?? fieldWords(field);
}

function join(label: string, name: string): string {
  return name === '' ? label : `${label} ${name}`;
}

/** What a screen prints on either side. */
export function textsOf(difference: Difference): { beforeText: string | null; afterText: string | null } {
  const { kind, before, after, struct, lists } = difference;
  if (kind === 'moved' && lists !== null) {
    const beforeText = positionText(before, lists.before.length);
    const afterText = positionText(after, lists.after.length);
    return {
      beforeText,
      afterText: beforeText === afterText ? `${afterText}, others moved past it` : afterText,
    };
  }
  const field = difference.steps.findLast((step) => step.kind === 'field')?.name ?? '';
  const text = (value: Json): string => valueText(struct, field, value);
  if (before === undefined || after === undefined) {
    return {
      beforeText: before === undefined ? null : singleText(text(before)),
      afterText: after === undefined ? null : singleText(text(after)),
    };
  }
  const texts = field === 'image' ? imageTexts(before, after) : undefined;
  const [beforeText, afterText] = pairOfTexts(...(texts ?? [text(before), text(after)]), [before, after]);
  return { beforeText, afterText };
}

function positionText(position: Json | undefined, size: number): string {
  return `${ordinal(Number(position) + 1)} of ${size}`;
}

/** What else to know: where an entry moved and what order means there; that an image is the same under another name. */
export function noteOf(difference: Difference): string | null {
  const field = difference.steps.findLast((step) => step.kind === 'field')?.name ?? '';
  if (difference.kind === 'moved') return moveNote(difference, field);
  const [before, after] = [difference.before, difference.after];
  if (field !== 'image' || typeof before !== 'string' || typeof after !== 'string') return null;
  const digest = parseImage(before)?.digest;
  return digest !== undefined && digest === parseImage(after)?.digest
    ? 'same digest: the image is the same'
    : null;
}

function moveNote({ after, lists, struct }: Difference, list: string): string | null {
  if (lists === null || typeof after !== 'number') return null;
  const isLast = after === lists.after.length - 1;
  const neighbour = lists.after[isLast ? after - 1 : after + 1];
  const name = neighbour === undefined ? undefined : entryName(struct, neighbour);
  const place = name === undefined ? [] : [`now ${isLast ? 'after' : 'before'} ${name}`];
  return [...place, ORDER_NOTES[list] ?? 'another order is another template'].join('; ');
}
