import { canonicalJson, isJsonObject, type JsonObject } from '@/lib/kube/json';
import { canonicalise } from '@/sandbox/api/canonical';
import { schemaOf } from '@/sandbox/api/schema';
import { EPHEMERAL_METADATA, HASH_LABEL, type PodMetadata } from '@/sandbox/controllers/argo/argo-rollout';
import { type PodTemplateSpec } from '@/sandbox/controllers/objects/pod';
import { type ReplicaSet } from '@/sandbox/controllers/objects/workloads';

const texts = new WeakMap<PodTemplateSpec, string>();

/** Equality in meaning: the template of a Rollout has no defaults, that of a ReplicaSet has all of them. */
export function sameTemplate(a: PodTemplateSpec, b: PodTemplateSpec): boolean {
  return textOf(a) === textOf(b);
}

function textOf(template: PodTemplateSpec): string {
  let text = texts.get(template);
  if (text === undefined) {
    const { object } = canonicalise(schemaOf('ReplicaSet'), { spec: { template: template as JsonObject } });
    text = canonicalJson(object);
    texts.set(template, text);
  }
  return text;
}

const recorded = new WeakMap<ReplicaSet, PodTemplateSpec>();

/** The template that a ReplicaSet was created from. */
export function recordedTemplate(set: ReplicaSet): PodTemplateSpec {
  let template = recorded.get(set);
  if (template === undefined) {
    const hash = { labels: { [HASH_LABEL]: '' } };
    template = withoutMetadata(withoutMetadata(set.spec.template, ephemeralOf(set)), hash);
    recorded.set(set, template);
  }
  return template;
}

/** What its role added to the template of a ReplicaSet, and to its pods. */
export function ephemeralOf({ metadata }: Pick<ReplicaSet, 'metadata'>): PodMetadata {
  const value: unknown = JSON.parse(metadata.annotations?.[EPHEMERAL_METADATA] ?? '{}');
  return isJsonObject(value) ? value : {};
}

/** With the metadata of a role instead of what it had before. */
export function withEphemeral(set: ReplicaSet, wanted: PodMetadata): ReplicaSet {
  const { [EPHEMERAL_METADATA]: _before, ...annotations } = set.metadata.annotations ?? {};
  if (Object.keys(wanted).length > 0) annotations[EPHEMERAL_METADATA] = JSON.stringify(wanted);
  const template = withoutMetadata(set.spec.template, ephemeralOf(set));
  const metadata = { ...template.metadata };
  for (const part of ['labels', 'annotations'] as const)
    if (wanted[part] !== undefined) metadata[part] = { ...metadata[part], ...wanted[part] };
  return {
    ...set,
    metadata: { ...set.metadata, annotations },
    spec: { ...set.spec, template: { ...template, metadata } },
  };
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
