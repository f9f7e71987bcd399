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
