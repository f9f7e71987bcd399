import { isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import { EPHEMERAL_METADATA, TEMPLATE_HASH } from '@/lib/argo/resource';
import { objectAt, objectIn, objectsAt } from '@/lib/kube/read';
import type { Template } from '@/lib/history/workload';

/** Keys of labels and annotations that Argo Rollouts has injected into the template of one ReplicaSet. */
interface InjectedKeys {
  labels: readonly string[];
  annotations: readonly string[];
}

const TERMS = {
  requiredDuringSchedulingIgnoredDuringExecution: (term: JsonObject) => term,
  preferredDuringSchedulingIgnoredDuringExecution: (term: JsonObject) =>
    objectAt(term, 'podAffinityTerm') ?? {},
} as const;

/** From an object with annotations; anything that is no such list names no key. */
export function injectedKeys(annotations: Readonly<Record<string, string>>): InjectedKeys {
  const text = Object.hasOwn(annotations, EPHEMERAL_METADATA) ? annotations[EPHEMERAL_METADATA] : undefined;
  const metadata = objectIn(text);
  const keysOf = (member: string) => Object.keys(objectAt(metadata, member) ?? {});
  return { labels: keysOf('labels'), annotations: keysOf('annotations') };
}

/**
 * The template as it was written: without the hash label, the metadata that its role gave the pods, and the
 * anti-affinity to other revisions. Maps that become empty are removed too. The argument is not changed.
 * https://github.com/argoproj/argo-rollouts/blob/master/utils/replicaset/replicaset.go
 * (RemoveInjectedAntiAffinityRule)
 */
export function withoutInjected(template: JsonObject, injected: InjectedKeys): Template {
  const metadata = objectAt(template, 'metadata');
  const spec = objectAt(template, 'spec');
  return {
    ...template,
    ...(metadata === undefined
      ? {}
      : {
          metadata: withMember(
            withMember(metadata, 'labels', without(metadata.labels, [...injected.labels, TEMPLATE_HASH])),
            'annotations',
            without(metadata.annotations, injected.annotations),
          ),
        }),
    ...(spec === undefined
      ? {}
      : { spec: withMember(spec, 'affinity', withoutInjectedTerms(spec.affinity)) }),
  };
}

function withoutInjectedTerms(affinity: Json | undefined): Json | undefined {
  const anti = objectAt(affinity, 'podAntiAffinity');
  if (!isJsonObject(affinity) || anti === undefined) return affinity;
  let rest: JsonObject = anti;
  for (const [member, termOf] of Object.entries(TERMS)) {
    const terms = anti[member];
    if (!Array.isArray(terms)) continue;
    const kept = terms.filter((term) => !isJsonObject(term) || !isInjected(termOf(term)));
    if (kept.length < terms.length) rest = withMember(rest, member, kept.length === 0 ? undefined : kept);
  }
  if (rest === anti) return affinity;
  const others = withMember(affinity, 'podAntiAffinity', unlessEmpty(rest));
  return unlessEmpty(others);
}

function isInjected(term: JsonObject): boolean {
  return objectsAt(term, 'labelSelector', 'matchExpressions').some(({ key }) => key === TEMPLATE_HASH);
}

function without(map: Json | undefined, keys: readonly string[]): Json | undefined {
  if (!isJsonObject(map) || !keys.some((key) => Object.hasOwn(map, key))) return map;
  return unlessEmpty(Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key))));
}

function unlessEmpty(map: JsonObject): JsonObject | undefined {
  return Object.keys(map).length === 0 ? undefined : map;
}

function withMember(object: JsonObject, member: string, value: Json | undefined): JsonObject {
  if (value === object[member]) return object;
  const { [member]: _before, ...rest } = object;
  return value === undefined ? rest : { ...object, [member]: value };
}
