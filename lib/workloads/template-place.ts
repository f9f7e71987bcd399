import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type Template } from '@/lib/workloads/workload';

/** Which members of a spec a revision records, and how they stand in it. */
export interface TemplatePlace {
  /** Members of `spec` that revisions record and a rollback replaces, each as a whole. */
  readonly members: readonly string[];
  /** What a revision of this spec would record, members shared; undefined where the spec has none of it. */
  of(spec: JsonObject): Template | undefined;
  /** The same of a whole object, for a kind whose template is not in `spec` alone. Absent: as {@link of} says. */
  ofObject?(object: KubeObject): Template | undefined;
  /** managedFields paths under which it is written. Absent: those of the templates that Shiplog knows. */
  readonly isWritten?: (fields: JsonObject) => boolean;
  /** Whether another object holds them, so that what is asked for is seen by its target revision alone. Absent: never. */
  isElsewhere?(spec: JsonObject): boolean;
  /** The few settings among them that are asked for without the body of the template. Absent: none. */
  settings?(spec: JsonObject): JsonObject;
}

/** The pod template that a pod was made from, of those that a recorded template holds. */
export type PodTemplateOf = (template: Template, pod: KubeObject) => JsonObject;

const podTemplate: TemplatePlace = {
  members: ['template'],
  of: ({ template }) => (isJsonObject(template) ? template : undefined),
};

/** The recorded part of an object, exactly as the API server gave it. */
export function templateOfObject(
  { template: place = podTemplate }: { readonly template?: TemplatePlace },
  object: KubeObject,
): Template | undefined {
  return place.ofObject?.(object) ?? place.of(object.spec ?? {});
}

/** The spec without what revisions record, but with its settings. */
export function specBesideTemplate(
  { template: place = podTemplate }: { readonly template?: TemplatePlace },
  { spec = {} }: Pick<KubeObject, 'spec'>,
): JsonObject {
  const rest = Object.entries(spec).filter(([member]) => !place.members.includes(member));
  return { ...Object.fromEntries(rest), ...place.settings?.(spec) };
}
