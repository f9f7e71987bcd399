/** A resource type, named as Kubernetes names it. */
export interface ResourceType {
  /** `{plural}.{group}`, the name in paths of our API: `deployments.apps`. */
  readonly id: string;
  readonly group: string;
  /** Preferred version first. */
  readonly versions: readonly string[];
  readonly plural: string;
  readonly kind: string;
  /** The common name where its kind alone means another one. */
  readonly label?: string;
  /** Another project defines it: a cluster without it has no problem. */
  readonly isCustom?: true;
}

/** `deployments.apps` as access reviews name it; also of kinds that this version does not know. */
export function typeOf(resource: string): Pick<ResourceType, 'group' | 'plural'> {
  const dot = resource.indexOf('.');
  return dot === -1
    ? { group: '', plural: resource }
    : { group: resource.slice(dot + 1), plural: resource.slice(0, dot) };
}

/** Whether a resource, `deployments.apps`, is that of a group and kind: workloads are known by their resource. */
export function isOfKind(resource: string, group: string, kind: string): boolean {
  const type = typeOf(resource);
  const name = kind.toLowerCase();
  const plurals = [name, `${name}s`, `${name}es`, name.replace(/y$/, 'ies')];
  return type.group === group && plurals.includes(type.plural);
}

/** "CloneSet", "Advanced StatefulSet": the kind for display. */
export function kindLabel({ kind, label }: Pick<ResourceType, 'kind' | 'label'>): string {
  return label ?? kind;
}

/** Path of a collection, or of one object in it, on the API server. Names are percent-encoded. */
export function resourcePath(
  { group, plural }: Pick<ResourceType, 'group' | 'plural'>,
  version: string,
  namespace?: string,
  name?: string,
): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const object = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  return `${root}${scope}/${plural}${object}`;
}
