import { deepEqual, isJsonObject, type JsonObject } from '@/lib/kube/json';
import { EPHEMERAL_METADATA, type PodMetadata } from '@/server/sandbox/controllers/argo/argo-rollout';
import { type Turn } from '@/server/sandbox/controllers/argo/turn';
import { type Template } from '@/server/sandbox/controllers/objects/pod';
import { type ReplicaSet } from '@/server/sandbox/controllers/objects/workloads';

/**
 * Puts on pods, and on the templates of their ReplicaSets, the marks that they are to have while they are new, or
 * stable, and takes off those that they are to have no longer.
 * https://argo-rollouts.readthedocs.io/en/stable/features/ephemeral-metadata/
 */
export async function markPods(turn: Turn): Promise<void> {
  const { fresh, stable } = turn;
  for (const set of turn.sets) {
    const role = set === stable || (stable === undefined && set === fresh) ? 'stable' : 'fresh';
    const wanted = set === fresh || set === stable ? metadataOf(turn, role) : undefined;
    const before = ephemeralOf(set);
    if (deepEqual(jsonOf(before), jsonOf(wanted))) continue;
    await turn.write(withEphemeral(set, wanted));
    for (const pod of turn.podsOf(set))
      await turn.world.pods.as('rollouts-controller').merge(pod, patchOf(before, wanted));
  }
}

/** Of pods in this role; undefined for none. */
export function metadataOf(
  { rollout }: Pick<Turn, 'rollout'>,
  role: 'fresh' | 'stable',
): PodMetadata | undefined {
  const { canary, blueGreen } = rollout.spec.strategy;
  const metadata =
    role === 'fresh'
      ? (canary?.canaryMetadata ?? blueGreen?.previewMetadata)
      : (canary?.stableMetadata ?? blueGreen?.activeMetadata);
  return metadata?.labels === undefined && metadata?.annotations === undefined ? undefined : metadata;
}

/** What has been put into the template of a ReplicaSet. */
export function ephemeralOf({ metadata }: Pick<ReplicaSet, 'metadata'>): PodMetadata | undefined {
  const text = metadata.annotations?.[EPHEMERAL_METADATA];
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : undefined;
}

/** With other marks than it has. */
export function withEphemeral(set: ReplicaSet, wanted: PodMetadata | undefined): ReplicaSet {
  const { [EPHEMERAL_METADATA]: _before, ...annotations } = set.metadata.annotations ?? {};
  const noted =
    wanted === undefined ? annotations : { ...annotations, [EPHEMERAL_METADATA]: JSON.stringify(wanted) };
  const bare = withoutMarks(set.spec.template, ephemeralOf(set));
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

/** The template as its Rollout had it. */
export function withoutMarks(template: Template, marks: PodMetadata | undefined): Template {
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

type Marks = Record<string, string>;

function without(all: Marks | undefined, marks: Marks | undefined): Marks | undefined {
  const left = Object.entries(all ?? {}).filter(([name]) => marks?.[name] === undefined);
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

function patchOf(before: PodMetadata | undefined, wanted: PodMetadata | undefined): JsonObject {
  const change = (part: keyof PodMetadata) => ({
    ...Object.fromEntries(Object.keys(before?.[part] ?? {}).map((name) => [name, null])),
    ...wanted?.[part],
  });
  return { metadata: { labels: change('labels'), annotations: change('annotations') } };
}

function jsonOf(metadata: PodMetadata | undefined): JsonObject {
  return { labels: metadata?.labels ?? {}, annotations: metadata?.annotations ?? {} };
}
