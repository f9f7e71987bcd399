import { isRawNumber } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type SourceKind } from '@/lib/workloads/kind';
import { recordedGroupTemplate } from '@/lib/workloads/leader-worker-set/template';
import { objectAt } from '@/lib/workloads/read';
import { cleanTemplate } from '@/lib/workloads/summarise';
import { type SourceNumber } from '@/lib/workloads/workload';

/**
 * ControllerRevisions carry the revisions of StatefulSets and DaemonSets: `data.spec.template` with `$patch: replace`;
 * those of LeaderWorkerSets have members of their own in its place. Other producers put other things into `data`; those are no revisions of these kinds.
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
  templateOf(source) {
    const template = objectAt(source.data, 'spec', 'template');
    return template === undefined ? recordedGroupTemplate(source.data) : cleanTemplate(template);
  },
  numberOf,
  formerNumbersOf: () => [],
  ownsNumber: (fields) => fields['f:revision'] !== undefined,
  scaleOf: () => null,
};

function numberOf(source: KubeObject): SourceNumber {
  const revision: unknown = source.revision;
  if (revision === undefined || revision === null) return { kind: 'missing' };
  if (typeof revision === 'number' && Number.isSafeInteger(revision))
    return { kind: 'number', value: revision };
  return { kind: 'invalid', text: isRawNumber(revision) ? revision.rawJSON : JSON.stringify(revision) };
}
