import { canonicalJson, isJsonObject } from '@/lib/kube/json';
import { canonicalForm } from '@/sandbox/api/canonical';
import { schemaOf } from '@/sandbox/api/schema';
import { EPHEMERAL_METADATA, HASH_LABEL, type PodMetadata } from '@/sandbox/controllers/argo/argo-rollout';
import type { PodTemplateSpec } from '@/sandbox/controllers/objects/pod';
import type { ReplicaSet } from '@/sandbox/controllers/objects/workloads';

/** Equal for templates of one meaning: that of a Rollout has no defaults, that of a ReplicaSet all of them. */
export function templateText(template: PodTemplateSpec): string {
  return canonicalJson(canonicalForm(schemaOf('ReplicaSet'), { spec: { template } }));
}

/** The template that a ReplicaSet was created from. */
export function recordedTemplate(set: ReplicaSet): PodTemplateSpec {
  const { labels, annotations } = ephemeralOf(set);
  return withoutMetadata(set.spec.template, { labels: { ...labels, [HASH_LABEL]: '' }, annotations });
}

/** What its role added to the template of a ReplicaSet, and to its pods. */
export function ephemeralOf({ metadata }: ReplicaSet): PodMetadata {
  const value: unknown = JSON.parse(metadata.annotations?.[EPHEMERAL_METADATA] ?? '{}');
  return isJsonObject(value) ? value : {};
}

/** With the metadata of a role instead of what it had before. */
export function withEphemeral(set: ReplicaSet, wanted: PodMetadata): ReplicaSet {
  const { [EPHEMERAL_METADATA]: _before, ...annotations } = set.metadata.annotations ?? {};
  if (Object.keys(wanted).length > 0) annotations[EPHEMERAL_METADATA] = JSON.stringify(wanted);
  const bare = withoutMetadata(set.spec.template, ephemeralOf(set));
  const metadata = {
    ...bare.metadata,
    labels: { ...bare.metadata?.labels, ...wanted.labels },
    annotations: { ...bare.metadata?.annotations, ...wanted.annotations },
  };
  const template = { ...bare, metadata };
  return { ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, template } };
}

function withoutMetadata(template: PodTemplateSpec, { labels, annotations }: PodMetadata): PodTemplateSpec {
  const without = (all: Record<string, string> = {}, marks: Record<string, string> = {}) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => marks[name] === undefined));
  const metadata = {
    ...template.metadata,
    labels: without(template.metadata?.labels, labels),
    annotations: without(template.metadata?.annotations, annotations),
  };
  return { ...template, metadata };
}
