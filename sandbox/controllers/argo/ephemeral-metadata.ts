import { isJsonObject } from '@/lib/kube/json';
import {
  type ArgoResource,
  EPHEMERAL_METADATA,
  type PodMetadata,
} from '@/sandbox/controllers/argo/argo-rollout';
import { type PodTemplateSpec } from '@/sandbox/controllers/objects/pod';
import { type ReplicaSet } from '@/sandbox/controllers/objects/workloads';

/** Of pods in this role; undefined for none. */
export function metadataOf(
  { rollout }: { rollout: ArgoResource },
  role: 'fresh' | 'stable',
): PodMetadata | undefined {
  const { canary, blueGreen } = rollout.spec.strategy;
  const metadata =
    role === 'fresh'
      ? (canary?.canaryMetadata ?? blueGreen?.previewMetadata)
      : (canary?.stableMetadata ?? blueGreen?.activeMetadata);
  return metadata?.labels === undefined && metadata?.annotations === undefined ? undefined : metadata;
}

/** What was added to the template of a ReplicaSet. */
export function ephemeralOf({ metadata }: Pick<ReplicaSet, 'metadata'>): PodMetadata | undefined {
  const text = metadata.annotations?.[EPHEMERAL_METADATA];
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : undefined;
}

/** With other metadata than it has. */
export function withEphemeral(set: ReplicaSet, wanted: PodMetadata | undefined): ReplicaSet {
  const { [EPHEMERAL_METADATA]: _before, ...annotations } = set.metadata.annotations ?? {};
  const noted =
    wanted === undefined ? annotations : { ...annotations, [EPHEMERAL_METADATA]: JSON.stringify(wanted) };
  const bare = withoutEphemeral(set.spec.template, ephemeralOf(set));
  const metadata = {
    ...bare.metadata,
    labels: { ...bare.metadata?.labels, ...wanted?.labels },
    ...((bare.metadata?.annotations ?? wanted?.annotations) && {
      annotations: { ...bare.metadata?.annotations, ...wanted?.annotations },
    }),
  };
  return {
    ...set,
    metadata: { ...set.metadata, annotations: noted },
    spec: { ...set.spec, template: { ...bare, metadata } },
  };
}

/** The template as in its Rollout. */
export function withoutEphemeral(template: PodTemplateSpec, marks: PodMetadata | undefined): PodTemplateSpec {
  if (marks === undefined) return template;
  const { labels, annotations, ...metadata } = template.metadata ?? {};
  const [ownLabels, ownAnnotations] = [
    without(labels, marks.labels),
    without(annotations, marks.annotations),
  ];
  return {
    ...template,
    metadata: {
      ...metadata,
      ...(ownLabels && { labels: ownLabels }),
      ...(ownAnnotations && { annotations: ownAnnotations }),
    },
  };
}

type EphemeralKeys = Record<string, string>;

function without(
  all: EphemeralKeys | undefined,
  marks: EphemeralKeys | undefined,
): EphemeralKeys | undefined {
  const left = Object.entries(all ?? {}).filter(([name]) => marks?.[name] === undefined);
  return left.length === 0 ? undefined : Object.fromEntries(left);
}
