import { readOwnerHistory } from '@/lib/producers/history';
import { ownerTemplatePlace, comparableTemplate } from '@/lib/producers/owner-template';
import { describeProducer } from '@/lib/producers/producer-text';
import { producerOf } from '@/lib/producers/producers';
import { planOwnerRollback } from '@/lib/producers/rollback';
import { ownerStatus } from '@/lib/producers/status';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { numberAt } from '@/lib/kube/read';
import { type ResourceType } from '@/lib/kube/resource';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';

/**
 * The kind of a resource that owns ControllerRevisions and is no kind of Shiplog: its revisions by the
 * general rules of such objects, without anything specific to its controller. `resource` comes from
 * discovery; the caller gives `history` the sources of one group (`lib/producers/revision-group`), and as
 * `children` the workloads that the owner has generated, over any number of steps.
 */
export function ownerKind(resource: ResourceType): WorkloadKind {
  const producer = producerOf({
    apiVersion: `${resource.group}/${resource.versions[0] ?? ''}`,
    kind: resource.kind,
  });
  return {
    resource,
    source: controllerRevisions,
    template: ownerTemplatePlace,
    podOwner: 'descendant',
    history: readOwnerHistory,
    status: (input) => ownerStatus(resource, input),
    strategy: () => 'unknown',
    desiredPods: () => 0,
    isPaused: () => false,
    partition: () => null,
    // A controller that does not report what it has observed is not waited for.
    isObserved: ({ workload: { status, generation } }) =>
      (numberAt(status, 'observedGeneration') ?? generation) >= generation,
    surgePods: () => 0,
    comparableTemplate: (current, recorded) => comparableTemplate(producer, current, recorded),
    producer: describeProducer,
    reportsCompletion: false,
    writes: { rollback: (input) => planOwnerRollback(resource, producer, input) },
    previous: () => null,
  };
}
