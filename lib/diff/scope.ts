import type { Change } from '@/lib/diff/change';
import type { Concern } from '@/lib/api/diff-values';
import type { PathStep } from '@/lib/diff/path';

/** The place of a difference, relative to its container, or to the pod if it is in none. */
export interface Scope {
  container: string | null;
  containerKind: Change['containerKind'];
  /** Field names below the container, below `spec`, or from `metadata` on. */
  fields: readonly string[];
  /** Names of the list entries and map keys on the path. */
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

/** The scope of a difference, from its path. */
export function scopeOf(steps: readonly PathStep[]): Scope {
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
