import type { Scope } from '@/lib/diff/scope';
import { fieldLabel } from '@/lib/diff/field-name-text';

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

/** Members of a volume that identify its source, and not how it is mounted. */
const VOLUME_NAMES = new Set(['name', 'secretName', 'claimName', 'path', 'reference', 'server']);

/** Labels of fields whose names are unsuitable. */
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

/** A short name for a difference: `memory limit`, `readiness path`, `env LOG_LEVEL`. */
export function scopeLabel(scope: Scope): string {
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
  return LABELS[field] ?? fieldLabel(field);
}

function join(label: string, name: string): string {
  return name === '' ? label : `${label} ${name}`;
}
