import { podDraft } from '@/sandbox/controllers/engine/pod-control';
import { type Draft } from '@/sandbox/controllers/engine/resource';
import { type CloneSet } from '@/sandbox/controllers/kruise/clone-set/clone-set';
import { type Marking, withGate } from '@/sandbox/controllers/kruise/shared/in-place';
import { type Pod, type PodTemplateSpec } from '@/sandbox/controllers/objects/pod';
import { timeText } from '@/sandbox/controllers/objects/time';
import { fnv1a, safeEncode } from '@/sandbox/controllers/revisions/hash';
import { hashPart } from '@/sandbox/controllers/kruise/shared/workload';

const REVISION_LABEL = 'controller-revision-hash';
const HASH_LABEL = 'pod-template-hash';
const INSTANCE_LABEL = 'apps.kruise.io/cloneset-instance-id';
const LIFECYCLE_LABEL = 'lifecycle.apps.kruise.io/state';
const LIFECYCLE_TIME = 'lifecycle.apps.kruise.io/timestamp';
const ID_LENGTH = 5;

/** The pod of one instance. https://github.com/openkruise/kruise/blob/master/pkg/controller/cloneset/core/cloneset_core.go */
export function cloneDraft(
  set: CloneSet,
  template: PodTemplateSpec,
  revision: string,
  id: string,
  now: number,
): Draft {
  const { metadata, spec } = podDraft(set, template);
  const { labels, annotations } = lifecycle('Normal', now);
  return {
    metadata: {
      ...metadata,
      name: `${set.metadata.name}-${id}`,
      labels: { ...template.metadata?.labels, [INSTANCE_LABEL]: id, ...revisionLabels(revision), ...labels },
      annotations: { ...template.metadata?.annotations, ...annotations },
    },
    spec: withGate(spec),
  };
}

/** The labels with the revision of a pod: the name of the revision, and its hash. */
export function revisionLabels(revision: string): Record<string, string> {
  return { [REVISION_LABEL]: revision, [HASH_LABEL]: hashPart(revision) };
}

/**
 * The lifecycle state of a pod between two changes, or in one.
 * https://openkruise.io/docs/user-manuals/cloneset#lifecycle-hook
 */
export function lifecycle(state: 'Normal' | 'Updating', now: number): Required<Marking> {
  return { labels: { [LIFECYCLE_LABEL]: state }, annotations: { [LIFECYCLE_TIME]: timeText(now) } };
}

export function isUpdating({ metadata }: Pod): boolean {
  return metadata.labels?.[LIFECYCLE_LABEL] === 'Updating';
}

/** The label holds the name of the revision, or with a feature gate its hash alone. */
export function isAt({ metadata }: Pod, revision: string): boolean {
  const label = metadata.labels?.[REVISION_LABEL];
  return label !== undefined && (label === revision || label === hashPart(revision));
}

/** So many ids that no pod has, different each time, and the same for the same history. */
export function freshIds(set: CloneSet, pods: readonly Pod[], count: number, now: number): string[] {
  const taken = new Set(pods.map(({ metadata }) => metadata.name));
  const ids: string[] = [];
  for (let attempt = 0; ids.length < count; attempt += 1) {
    const hash = fnv1a(Buffer.from(`${set.metadata.uid} ${now} ${attempt}`));
    const id = safeEncode(String(hash).padStart(ID_LENGTH, '0')).slice(-ID_LENGTH);
    const name = `${set.metadata.name}-${id}`;
    if (taken.has(name)) continue;
    taken.add(name);
    ids.push(id);
  }
  return ids;
}
