import { readOwnerHistory } from '@/lib/producers/history';
import { ownerPlace, presentFor } from '@/lib/producers/present';
import { producerWords } from '@/lib/producers/producer-words';
import { producerOf } from '@/lib/producers/producers';
import { planOwnerRollback } from '@/lib/producers/rollback';
import { ownerStatus } from '@/lib/producers/status';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { numberAt } from '@/lib/workloads/read';
import { type ResourceType } from '@/lib/workloads/resource';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';

/**
 * The kind of a resource that owns ControllerRevisions and is none of ours: its revisions by the general rules of such
 * objects, and nothing that would need to know its controller. `resource` comes from discovery; whoever reads gives
 * `history` the sources of one group (`lib/producers/revision-group`), and as `parts` the workloads that the owner has
 * made, over any number of steps.
 */
export function ownerKind(resource: ResourceType): WorkloadKind {
  const producer = producerOf({
    apiVersion: `${resource.group}/${resource.versions[0] ?? ''}`,
    kind: resource.kind,
  });
  return {
    resource,
    source: controllerRevisions,
    template: ownerPlace,
    podOwner: 'descendant',
    history: readOwnerHistory,
    status: (input) => ownerStatus(resource, input),
    strategy: () => 'not known',
    desiredPods: () => 0,
    isPaused: () => false,
    partition: () => null,
    // A controller that does not say what it has seen is not waited for.
    isObserved: ({ workload: { status, generation } }) =>
      (numberAt(status, 'observedGeneration') ?? generation) >= generation,
    surgePods: () => 0,
    presentFor: (present, recorded) => presentFor(producer, present, recorded),
    producer: producerWords,
    tellsEnd: false,
    planRollback: (input) => planOwnerRollback(resource, producer, input),
    controls: {},
    previous: () => null,
  };
}
