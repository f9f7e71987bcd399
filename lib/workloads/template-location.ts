import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import type { Template } from '@/lib/history/workload';

/** Which members of a spec a revision records, and where. */
export interface TemplateLocation {
  /** Members of `spec` that revisions record and a rollback replaces, each completely. */
  readonly members: readonly string[];
  /** What a revision of this spec would record, members shared; undefined where the spec has none of it. */
  of(spec: JsonObject): Template | undefined;
  /**
   * The same of a complete object, for a kind whose template is not in `spec` alone. Absent: as {@link of}
   * reads it.
   */
  ofObject?(object: KubeObject): Template | undefined;
  /** managedFields paths of these members. Absent: those of the templates that Shiplog knows. */
  readonly isWritten?: (fields: JsonObject) => boolean;
  /**
   * Whether another object holds them, so that only the target revision shows the desired template. Absent:
   * never.
   */
  isElsewhere?(spec: JsonObject): boolean;
  /** The few settings among them that Shiplog reads without the body of the template. Absent: none. */
  settings?(spec: JsonObject): JsonObject;
}

/** A kind, or one object, by where its template is. Absent: a pod template in `spec.template`. */
interface Located {
  readonly template?: { readonly location: TemplateLocation };
}

const podTemplate: Required<Located>['template'] = {
  location: {
    members: ['template'],
    of: ({ template }) => (isJsonObject(template) ? template : undefined),
  },
};

/** The recorded part of an object, exactly as the API server gave it. */
export function templateOfObject(
  { template: { location } = podTemplate }: Located,
  object: KubeObject,
): Template | undefined {
  return location.ofObject?.(object) ?? location.of(object.spec ?? {});
}

/** The spec without what revisions record, but with its settings. */
export function specWithoutTemplate(
  { template: { location } = podTemplate }: Located,
  { spec = {} }: Pick<KubeObject, 'spec'>,
): JsonObject {
  const rest = Object.entries(spec).filter(([member]) => !location.members.includes(member));
  return { ...Object.fromEntries(rest), ...location.settings?.(spec) };
}
