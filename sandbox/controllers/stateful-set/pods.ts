import { podDraft } from '@/sandbox/controllers/engine/pod-control';
import { type Draft } from '@/sandbox/controllers/engine/resource';
import { type Pod, type PodTemplateSpec, type Volume } from '@/sandbox/controllers/objects/pod';
import { type StatefulSet } from '@/sandbox/controllers/objects/workloads';

const REVISION_LABEL = 'controller-revision-hash';
const NAME_LABEL = 'statefulset.kubernetes.io/pod-name';
const INDEX_LABEL = 'apps.kubernetes.io/pod-index';

export function startOrdinal({ spec }: StatefulSet): number {
  return spec.ordinals?.start ?? 0;
}

/** Name of the set and position in it, from the name of a pod; undefined for any other name. */
export function identityOf(name: string): { parent: string; ordinal: number } | undefined {
  const match = /^(.*)-(\d+)$/s.exec(name);
  const ordinal = Number(match?.[2]);
  return match === null || ordinal >= 2 ** 31 ? undefined : { parent: match[1] ?? '', ordinal };
}

export function ordinalOf({ metadata }: Pod): number {
  return identityOf(metadata.name)?.ordinal ?? -1;
}

export function revisionOfPod({ metadata }: Pod): string {
  return metadata.labels?.[REVISION_LABEL] ?? '';
}

export function podName(set: StatefulSet, ordinal: number): string {
  return `${set.metadata.name}-${ordinal}`;
}

export function claimName(set: StatefulSet, template: string, ordinal: number): string {
  return `${template}-${set.metadata.name}-${ordinal}`;
}

/** The pod for one slot of the set. */
export function memberDraft(
  set: StatefulSet,
  template: PodTemplateSpec,
  revision: string,
  ordinal: number,
): Draft {
  const { metadata, spec } = podDraft(set, template);
  const name = podName(set, ordinal);
  const volumes = volumesOf(set, spec.volumes ?? [], ordinal);
  return {
    metadata: {
      ...metadata,
      name,
      labels: { ...template.metadata?.labels, ...identityLabels(set, ordinal), [REVISION_LABEL]: revision },
    },
    spec: {
      ...spec,
      hostname: name,
      ...(set.spec.serviceName ? { subdomain: set.spec.serviceName } : {}),
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  };
}

export function identityLabels(set: StatefulSet, ordinal: number): Record<string, string> {
  return { [NAME_LABEL]: podName(set, ordinal), [INDEX_LABEL]: String(ordinal) };
}

/** A label may be removed from a pod, but not its name. */
export function hasIdentity(pod: Pod): boolean {
  return pod.metadata.labels?.[NAME_LABEL] === pod.metadata.name;
}

/** Claims replace volumes of the same name. */
function volumesOf(set: StatefulSet, volumes: readonly Volume[], ordinal: number): Volume[] {
  const claims = (set.spec.volumeClaimTemplates ?? []).map(({ metadata: { name } }) => ({
    name,
    persistentVolumeClaim: { claimName: claimName(set, name, ordinal) },
  }));
  return [...claims, ...volumes.filter(({ name }) => claims.every((claim) => claim.name !== name))];
}
