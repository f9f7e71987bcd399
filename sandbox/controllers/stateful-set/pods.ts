import { podDraft } from '@/sandbox/controllers/engine/pod-control';
import { type Draft } from '@/sandbox/controllers/engine/resource';
import { type Pod, type PodTemplateSpec } from '@/sandbox/controllers/objects/pod';
import { type StatefulSet } from '@/sandbox/controllers/objects/workloads';
import { REVISION_LABEL } from '@/sandbox/controllers/revisions/controller-revisions';

export function startOrdinal({ spec }: StatefulSet): number {
  return spec.ordinals?.start ?? 0;
}

/** Name of the set and position in it, from the name of a pod; undefined for any other name. */
export function identityOf(name: string): { parent: string; ordinal: number } | undefined {
  const match = /^(.*)-(\d+)$/s.exec(name);
  return match === null ? undefined : { parent: match[1] ?? '', ordinal: Number(match[2]) };
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

/** The pod for one position in the set. Its claims replace volumes of the same name. */
export function memberDraft(
  set: StatefulSet,
  template: PodTemplateSpec,
  revision: string,
  ordinal: number,
): Draft {
  const { metadata, spec } = podDraft(set, template);
  const name = podName(set, ordinal);
  const labels = {
    ...template.metadata?.labels,
    'statefulset.kubernetes.io/pod-name': name,
    'apps.kubernetes.io/pod-index': String(ordinal),
    [REVISION_LABEL]: revision,
  };
  const claims = (set.spec.volumeClaimTemplates ?? []).map(({ metadata: claim }) => ({
    name: claim.name,
    persistentVolumeClaim: { claimName: claimName(set, claim.name, ordinal) },
  }));
  const others = (spec.volumes ?? []).filter((volume) => claims.every((claim) => claim.name !== volume.name));
  const volumes = claims.length + others.length === 0 ? undefined : [...claims, ...others];
  const subdomain = set.spec.serviceName === '' ? undefined : set.spec.serviceName;
  return { metadata: { ...metadata, name, labels }, spec: { ...spec, hostname: name, subdomain, volumes } };
}
