import { isRawNumber } from '@/lib/kube/json';
import { controllerOf, groupOf, type KubeObject, type OwnerReference } from '@/lib/kube/object';
import { recordedData } from '@/lib/kube/recorded-data';
import type { SourceKind } from '@/lib/workloads/kind';
import { recordedGroupTemplate } from '@/lib/workloads/leader-worker-set/template';
import { roleSetBody } from '@/lib/workloads/storm-service/spec';
import { objectAt, textAt } from '@/lib/kube/read';
import { cleanTemplate } from '@/lib/workloads/template-facts';
import type { SourceNumber, Template } from '@/lib/history/workload';

/**
 * Controllers whose revisions record the template of pods, or of groups of pods, by group; empty: all kinds
 * of it.
 */
const POD_CONTROLLERS: Readonly<Record<string, readonly string[]>> = {
  apps: [],
  'apps.kruise.io': ['CloneSet', 'StatefulSet', 'DaemonSet'],
  'leaderworkerset.x-k8s.io': [],
  'orchestration.aibrix.ai': ['StormService'],
};

/**
 * ControllerRevisions carry the revisions of StatefulSets and DaemonSets: `data.spec.template` with `$patch:
 * replace`; those of LeaderWorkerSets have other members instead. Other controllers put other content into
 * `data`, which is stored as it is.
 * https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/controller-revision-v1/
 */
export const controllerRevisions: SourceKind = {
  resource: {
    id: 'controllerrevisions.apps',
    group: 'apps',
    versions: ['v1'],
    plural: 'controllerrevisions',
    kind: 'ControllerRevision',
  },
  // Unexpected content is stored as it is: nothing in the cluster may disappear.
  templateOf: (source) =>
    (recordsPodTemplate(source) ? recordedTemplate(source) : undefined) ?? recordedData(source.data ?? null),
  faultOf(source) {
    const isExpectedTemplate =
      controllerOf(source.metadata.ownerReferences) !== undefined && recordsPodTemplate(source);
    if (!isExpectedTemplate || recordedTemplate(source) !== undefined) return undefined;
    return source.data == null
      ? 'This revision has no data.'
      : 'Its data has no pod template, which its controller records.';
  },
  numberOf,
  formerNumbersOf: () => [],
  ownsNumber: (fields) => fields['f:revision'] !== undefined,
  scaleOf: () => null,
  embeddedObjectIn({ data }) {
    const [apiVersion, kind] = [textAt(data, 'apiVersion'), textAt(data, 'kind')];
    if (apiVersion === undefined || kind === undefined) return undefined;
    return { apiVersion, kind, name: textAt(data, 'metadata', 'name') ?? null };
  },
};

/** Also without a controller: its former owner is unknown. */
function recordsPodTemplate(source: KubeObject): boolean {
  const controller = controllerOf(source.metadata.ownerReferences);
  return controller === undefined || isPodController(controller);
}

function recordedTemplate({ data }: KubeObject): Template | undefined {
  const template = objectAt(data, 'spec', 'template');
  return template === undefined ? recordedGroupTemplate(data) : roleSetBody(cleanTemplate(template));
}

function isPodController({ apiVersion, kind }: Pick<OwnerReference, 'apiVersion' | 'kind'>): boolean {
  const kinds = POD_CONTROLLERS[groupOf(apiVersion)];
  return kinds !== undefined && (kinds.length === 0 || kinds.includes(kind));
}

function numberOf(source: KubeObject): SourceNumber {
  const revision: unknown = source.revision;
  if (revision === undefined || revision === null) return { kind: 'missing' };
  if (typeof revision === 'number' && Number.isSafeInteger(revision))
    return { kind: 'number', value: revision };
  return { kind: 'invalid', text: isRawNumber(revision) ? revision.rawJSON : JSON.stringify(revision) };
}
