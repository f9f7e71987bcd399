import type { RolloutSimulation } from '@/lib/oam/testing/rollout-simulation';
import { rolledWorkload } from '@/lib/oam/rolled-workload';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { objectsAt, textAt } from '@/lib/kube/read';

interface SimulatedPod {
  revision: string;
  isReady: boolean;
}

/** A simulated CloneSet, which updates its pods to its template as far as its partition allows. */
export class SimulatedCloneSet {
  readonly pods: SimulatedPod[];
  readonly #simulation: RolloutSimulation;
  #current = 'old';

  /** With all pods at the image `old`, and a template of this image. */
  constructor(simulation: RolloutSimulation, replicas: number, strategy: JsonObject, image: string) {
    this.#simulation = simulation;
    this.pods = Array.from({ length: replicas }, () => ({ revision: 'old', isReady: true }));
    for (const known of ['old', 'new', 'newer']) {
      simulation.templates.set(known, template(known));
      simulation.components.set(known, {
        apiVersion: 'apps.kruise.io/v1alpha1',
        kind: 'CloneSet',
        spec: { template: template(known) },
      });
    }
    const object: KubeObject = {
      apiVersion: 'apps.kruise.io/v1alpha1',
      kind: 'CloneSet',
      metadata: {
        name: 'set',
        namespace: 'shop',
        uid: 'uid-set',
        resourceVersion: '1',
        generation: 1,
        creationTimestamp: '2026-03-01T11:00:00Z',
      },
      spec: { replicas, template: template(image), updateStrategy: { type: 'ReCreate', ...strategy } },
    };
    simulation.objects.set('set', object);
    this.advancePods(0, 0);
  }

  get object(): KubeObject {
    return this.#simulation.objects.get('set') as KubeObject;
  }

  /** So many pods are updated to the template, and so many become ready. */
  advancePods(made: number, ready: number): void {
    const { replicas, isPaused, heldReplicas, template: desired } = rolledWorkload('CloneSet', this.object);
    const update = textAt(objectsAt(desired, 'spec', 'containers')[0], 'image') ?? '';
    while (this.pods.length < replicas) this.pods.push({ revision: update, isReady: false });
    this.pods.length = replicas;
    const old = this.pods.filter(({ revision }) => revision !== update);
    const due = isPaused ? 0 : Math.min(made, Math.max(0, old.length - heldReplicas));
    for (const pod of old.slice(0, due)) Object.assign(pod, { revision: update, isReady: false });
    for (const pod of this.pods.filter(({ isReady }) => !isReady).slice(0, ready)) pod.isReady = true;
    const updated = this.pods.filter(({ revision }) => revision === update);
    if (updated.length === replicas) this.#current = update;
    this.object.status = {
      observedGeneration: this.object.metadata.generation ?? 1,
      replicas,
      readyReplicas: this.pods.filter(({ isReady }) => isReady).length,
      updatedReplicas: updated.length,
      updatedReadyReplicas: updated.filter(({ isReady }) => isReady).length,
      currentRevision: this.#current,
      updateRevision: update,
    };
  }
}

function template(image: string): JsonObject {
  return { spec: { containers: [{ name: 'app', image }] } };
}
