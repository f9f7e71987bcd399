import { canonicalJson, isJsonObject, type Json } from '@/lib/kube/json';
import { prettyQuantity } from '@/lib/kube/quantity';
import { sumOf } from '@/sandbox/controllers/objects/amounts';
import type { PodTemplateSpec } from '@/sandbox/controllers/objects/pod';
import type { Deployment, ReplicaSet } from '@/sandbox/controllers/objects/workloads';
import { byCreation } from '@/sandbox/controllers/revisions/controller-revisions';

export const REVISION = 'deployment.kubernetes.io/revision';
const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';
export const ROLLBACK_TO = 'deprecated.deployment.rollback.to';

/** Never copied between a Deployment and its ReplicaSets. */
const SKIPPED = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  ROLLBACK_TO,
]);

export type Annotations = Record<string, string>;

/** A revision number; 0 when there is none. */
export function revisionOf(annotations: Annotations | undefined): number {
  return Number(annotations?.[REVISION] ?? 0) || 0;
}

/**
 * Annotations of the newest ReplicaSet: those of the Deployment except its bookkeeping, and the desired
 * revision where that is higher; its former number joins its history.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/util/deployment_util.go (SetNewReplicaSetAnnotations)
 */
export function newestAnnotations(
  present: Annotations | undefined,
  deployment: Deployment,
  wanted: number,
): Annotations {
  const result = { ...present, ...copied(deployment.metadata.annotations) };
  if (revisionOf(present) >= wanted) return result;
  const former = present?.[REVISION];
  if (former !== undefined) {
    const history = present?.[REVISION_HISTORY];
    result[REVISION_HISTORY] = history === undefined ? former : `${history},${former}`;
  }
  return { ...result, [REVISION]: String(wanted) };
}

/** Annotations of the Deployment after a rollback to a ReplicaSet. */
export function restoredAnnotations(
  present: Annotations | undefined,
  source: Annotations | undefined,
): Annotations {
  const kept = Object.entries(present ?? {}).filter(([key]) => SKIPPED.has(key));
  return { ...Object.fromEntries(kept), ...copied(source) };
}

function copied(annotations: Annotations | undefined): Annotations {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => !SKIPPED.has(key)));
}

/** The sizes of the Deployment, by which its ReplicaSets are scaled in proportion. */
export function sizeAnnotations(desired: number, max: number): Annotations {
  return { [DESIRED_REPLICAS]: String(desired), [MAX_REPLICAS]: String(max) };
}

/** The new ReplicaSet of a Deployment, if it has one, and all others, in the order of their creation. */
export interface Sets {
  fresh: ReplicaSet | undefined;
  old: ReplicaSet[];
}

/**
 * The oldest ReplicaSet whose template equals the Deployment's is the new one.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/util/deployment_util.go (FindNewReplicaSet)
 */
export function splitReplicaSets(template: PodTemplateSpec, sets: readonly ReplicaSet[]): Sets {
  const inOrder = [...sets].sort(byCreation);
  const fresh = inOrder.find((set) => sameTemplate(set.spec.template, template));
  return { fresh, old: inOrder.filter((set) => set !== fresh) };
}

const texts = new WeakMap<PodTemplateSpec, string>();

/** Semantic equality except the label that the controller adds. */
export function sameTemplate(a: PodTemplateSpec, b: PodTemplateSpec): boolean {
  return imagesOf(a) === imagesOf(b) && textOf(a) === textOf(b);
}

/** Cheap, and different for most templates that differ. */
function imagesOf({ spec }: PodTemplateSpec): string {
  return spec.containers.map(({ image }) => image).join(' ');
}

function textOf(template: PodTemplateSpec): string {
  const text = texts.get(template) ?? canonicalJson(withAmounts(withoutHash(template)));
  texts.set(template, text);
  return text;
}

/** Without the label that the controller adds to the template of a ReplicaSet. */
export function withoutHash({ metadata, spec }: PodTemplateSpec): PodTemplateSpec {
  const { 'pod-template-hash': _hash, ...labels } = metadata?.labels ?? {};
  return { metadata: { ...metadata, labels }, spec };
}

const QUANTITIES = new Set(['limits', 'requests', 'overhead']);

/** Equal amounts in any notation get the same text. The API server has filled in all defaults. */
function withAmounts(value: Json, isAmounts = false): Json {
  if (Array.isArray(value)) return value.map((item) => withAmounts(item));
  if (isAmounts && (typeof value === 'string' || typeof value === 'number'))
    return prettyQuantity(value) ?? value;
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [
    key,
    member === undefined ? undefined : withAmounts(member, isAmounts || QUANTITIES.has(key)),
  ]);
  return Object.fromEntries(members) as Json;
}

export function everySet({ fresh, old }: Sets): ReplicaSet[] {
  return fresh === undefined ? [...old] : [...old, fresh];
}

/** Those that should have pods. */
export function activeOf(sets: readonly ReplicaSet[]): ReplicaSet[] {
  return sets.filter(({ spec }) => spec.replicas > 0);
}

/** The highest revision number; 0 when there is none. */
export function maxRevision(sets: readonly ReplicaSet[]): number {
  return Math.max(0, ...sets.map(({ metadata }) => revisionOf(metadata.annotations)));
}

/** The second highest revision number; 0 when there is none. */
export function lastRevision(sets: readonly ReplicaSet[]): number {
  return (
    sets
      .toSorted(byNumber)
      .map(({ metadata }) => revisionOf(metadata.annotations))
      .at(-2) ?? 0
  );
}

/** Desired pods. */
export function desiredIn(sets: readonly ReplicaSet[]): number {
  return sumOf(sets, ({ spec }) => spec.replicas);
}

export function availableIn(sets: readonly ReplicaSet[]): number {
  return sumOf(sets, ({ status }) => status.availableReplicas);
}

/** Oldest revision first. */
export function byNumber(a: ReplicaSet, b: ReplicaSet): number {
  return revisionOf(a.metadata.annotations) - revisionOf(b.metadata.annotations) || byCreation(a, b);
}
