import { canonicalJson, type Json, type JsonObject } from '@/lib/kube/json';
import { objectAt } from '@/lib/kube/read';
import type { KubeObject } from '@/lib/kube/object';

const RESTARTS = ['kubectl.kubernetes.io/restartedAt', 'kubectl.kruise.io/restartedAt'];
const HASHES = ['pod-template-hash', 'rollouts-pod-template-hash'];
/** Labels and annotations that Argo Rollouts adds for the role of a ReplicaSet. */
const EPHEMERAL = 'rollout.argoproj.io/ephemeral-metadata';

/** The template of a workload or a revision, as text that is equal for equal templates. */
export interface Spelling {
  whole: string;
  /** Without the time of a restart. */
  release: string;
}

/** Undefined for an object without a template. */
export function spellingOf({ metadata, spec, data }: KubeObject): Spelling | undefined {
  const { template, leaderWorkerTemplate, networkConfig } = objectAt(data, 'spec') ?? spec ?? {};
  if (template === undefined && leaderWorkerTemplate === undefined) return undefined;
  const body = [template ?? null, leaderWorkerTemplate ?? null, networkConfig ?? null];
  const injected = JSON.parse(metadata.annotations?.[EPHEMERAL] ?? '{}') as Record<string, JsonObject>;
  const added = [...HASHES, ...Object.values(injected).flatMap((entries) => Object.keys(entries))];
  return { whole: spell(body, added), release: spell(body, [...added, ...RESTARTS]) };
}

function spell(body: Json, added: readonly string[]): string {
  const text = JSON.stringify(body, (key, value: JsonObject) => {
    if (key === '$patch') return undefined;
    if (key !== 'labels' && key !== 'annotations') return value;
    const kept = Object.entries(value).filter(([name]) => !added.includes(name));
    return kept.length === 0 ? undefined : Object.fromEntries(kept);
  });
  return canonicalJson(JSON.parse(text) as Json);
}
