import { cutEnd } from '@/lib/format/text';
import {
  exclusions,
  INSTALLATION_ID,
  type Marker,
  markers,
  pipelines,
  tools,
  TRACKING_ID,
} from '@/lib/owners/markers';
import type { Marked, Owner } from '@/lib/owners/owner';
import { isOfKind } from '@/lib/kube/resource';

/** What a namespace or an object can be called: anyone who writes the object can write its labels and annotations. */
const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const ID_CHARS_MAX = 100;

/** A value with the words for where it stands; `value` is null where only a field manager is known. */
interface Mark {
  value: string | null;
  evidence: string;
}

/**
 * What writes this object from a description elsewhere, each with what shows it, in the order of a page. A HelmRelease
 * leaves the marks of its Helm release too: that is no owner of its own.
 */
export function ownersOf(marked: Marked): Owner[] {
  const owners = [
    ...markers.flatMap((marker) => ownerBy(marker, marked) ?? []),
    ...tools.flatMap(({ tool, ...marker }): Owner[] => {
      const mark = markOf(marker, marked);
      return mark === null
        ? []
        : [{ kind: 'tool', tool, name: validName(mark.value), evidence: mark.evidence }];
    }),
    ...pipelinesOf(marked),
  ];
  const hasHelmRelease = owners.some(({ kind }) => kind === 'helmRelease');
  return hasHelmRelease ? owners.filter(({ kind }) => kind !== 'helm') : owners;
}

/** `namespace/name` or `name` of the Argo CD application of a workload; null where none is named by a valid name. */
export function argoApplicationOf(marked: Marked): string | null {
  const owner = ownersOf(marked).find(({ kind }) => kind === 'application');
  return owner?.kind === 'application' ? argoName(owner) : null;
}

/** The name as the command line and the pages of Argo CD have it. */
export function argoName({
  namespace,
  name,
}: {
  namespace: string | null;
  name: string | null;
}): string | null {
  return namespace === null || name === null ? name : `${namespace}/${name}`;
}

function ownerBy(marker: Marker, marked: Marked): Owner | null {
  const { kind } = marker;
  switch (kind) {
    case 'application':
      return applicationBy(marker, marked);
    case 'helm': {
      const mark = markOf(marker, marked);
      if (mark === null) return null;
      const namespace = validName(valueOf(marked.annotations, 'meta.helm.sh/release-namespace'));
      return { kind, namespace, name: validName(mark.value), evidence: mark.evidence };
    }
    case 'kustomization':
    case 'helmRelease':
    case 'resourceSet': {
      const mark = markOf(marker, marked);
      if (mark === null) return null;
      const beside = marker.labels?.map((label) =>
        valueOf(marked.labels, label.replace(/name$/, 'namespace')),
      );
      const namespace = validName(beside?.find((value) => value !== null) ?? null) ?? marked.namespace;
      const excludedBy = exclusionOf(kind, marked);
      return { kind, namespace, name: validName(mark.value), excludedBy, evidence: mark.evidence };
    }
    default:
      return kind satisfies never;
  }
}

/** Argo CD itself ignores a tracking id of another object, which a copied object has. */
function applicationBy(marker: Marker, marked: Marked): Owner | null {
  const installation = valueOf(marked.annotations, INSTALLATION_ID);
  const tracked = instanceIn(valueOf(marked.annotations, TRACKING_ID), marked);
  const mark =
    tracked === null
      ? markOf({ ...marker, annotations: [] }, marked)
      : { value: tracked, evidence: `annotation ${TRACKING_ID}` };
  if (mark === null) return null;
  return { kind: 'application', ...instanceName(mark.value), installation, evidence: mark.evidence };
}

/**
 * The instance in `<instance>:<group>/<Kind>:<namespace>/<name>`, where the rest names this object.
 * https://argo-cd.readthedocs.io/en/stable/user-guide/resource_tracking/
 */
function instanceIn(trackingId: string | null, { resource, namespace, name }: Marked): string | null {
  const [, instance = '', group = '', kind = '', at, of] =
    /^([^:]*):([^:/]*)\/([^:/]+):([^:/]*)\/([^:/]+)$/.exec(trackingId ?? '') ?? [];
  return isOfKind(resource, group, kind) && at === namespace && of === name ? instance : null;
}

/** Namespaces and names have no `_`, so the first one separates them; without one, it is in Argo CD's own namespace. */
function instanceName(instance: string | null): { namespace: string | null; name: string | null } {
  if (instance === null) return { namespace: null, name: null };
  const at = instance.indexOf('_');
  const name = validName(instance.slice(at + 1));
  if (at < 0) return { namespace: null, name };
  const namespace = validName(instance.slice(0, at));
  return { namespace, name: namespace === null ? null : name };
}

function markOf(
  { labels = [], annotations = [], sharedLabels = [], managers }: Omit<Marker, 'kind'>,
  marked: Marked,
): Mark | null {
  const manager = marked.writes.find(
    (write) => managers.includes(write.manager) && write.subresource === null,
  );
  const named = [
    ...annotations.map((key) => ({ source: 'annotation', key, values: marked.annotations })),
    ...labels.map((key) => ({ source: 'label', key, values: marked.labels })),
    ...(manager === undefined
      ? []
      : sharedLabels.map((key) => ({ source: 'label', key, values: marked.labels }))),
  ];
  for (const { source, key, values } of named) {
    const value = valueOf(values, key);
    if (value !== null) return { value, evidence: `${source} ${key}` };
  }
  const writer = marked.writes.find((write) => managers.includes(write.manager) && write.template);
  return writer === undefined ? null : { value: null, evidence: `field manager ${writer.manager}` };
}

function pipelinesOf({ labels, annotations }: Marked): Owner[] {
  return pipelines.flatMap(({ key, tool, identifies }): Owner[] => {
    const annotation = valueOf(annotations, key);
    const id = annotation ?? valueOf(labels, key);
    if (id === null) return [];
    const evidence = `${annotation === null ? 'label' : 'annotation'} ${key}`;
    return [{ kind: 'pipeline', tool, identifies, name: cutEnd(id, ID_CHARS_MAX), evidence }];
  });
}

function exclusionOf(kind: keyof typeof exclusions, { labels, annotations }: Marked): string | null {
  const found = exclusions[kind]?.find(({ key, value }) =>
    [labels, annotations].some((values) => valueOf(values, key)?.toLowerCase() === value),
  );
  return found?.key ?? null;
}

function valueOf(values: Readonly<Record<string, string>>, key: string): string | null {
  const value = Object.hasOwn(values, key) ? values[key] : undefined;
  return value === undefined || value === '' ? null : value;
}

/** Null where nothing can be called that. */
export function validName(name: string | null): string | null {
  return name !== null && NAME.test(name) ? name : null;
}
