import { groupOf } from '@/lib/kube/object';
import { producerOf } from '@/lib/producers/producers';
import type { RevisionSource } from '@/lib/history/workload';

const KUBEVIRT_COPY = 'instancetype.kubevirt.io/object-';

/**
 * Whether a ControllerRevision has another purpose than a history: a copy of an object of another kind, or
 * anything of a controller that has no history at all.
 */
export function isStoredObject(source: RevisionSource): boolean {
  if (Object.keys(source.labels).some((key) => key.startsWith(KUBEVIRT_COPY))) return true;
  if (producerOf(ownerOf(source))?.storesOnly === true) return true;
  const { embeddedObject: holds, controllerKind } = source;
  return (
    holds !== undefined && controllerKind !== null && holds.kind !== controllerKind && !isComponent(source)
  );
}

/** KubeVela records a complete component, under an owner that has several of them. */
function isComponent({ embeddedObject: holds }: RevisionSource): boolean {
  return holds?.kind === 'Component' && groupOf(holds.apiVersion) === 'core.oam.dev';
}

/** The controller that a ControllerRevision names; null for one without. */
export function ownerOf(
  source: Pick<RevisionSource, 'controllerApiVersion' | 'controllerKind'>,
): { apiVersion: string; kind: string } | null {
  const { controllerApiVersion, controllerKind } = source;
  return controllerApiVersion == null || controllerKind === null
    ? null
    : { apiVersion: controllerApiVersion, kind: controllerKind };
}
