import { type Play } from '@/lib/oam/testing/play';
import { rolledWorkload } from '@/lib/oam/workload';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { objectsAt, textAt } from '@/lib/workloads/read';

interface PlayedPod {
  revision: string;
  isReady: boolean;
}

/** A CloneSet in a play, which brings its pods to its template as far as its partition lets it. */
export class PlayedCloneSet {
  readonly pods: PlayedPod[];
  readonly #play: Play;
  #current = 'old';

  /** With all pods at the image `old`, and a template of this image. */
  constructor(play: Play, replicas: number, strategy: JsonObject, image: string) {
    this.#play = play;
    this.pods = Array.from({ length: replicas }, () => ({ revision: 'old', isReady: true }));
    for (const known of ['old', 'new', 'newer']) {
      play.templates.set(known, template(known));
      play.components.set(known, {
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
    play.objects.set('set', object);
    this.live(0, 0);
  }

  get object(): KubeObject {
    return this.#play.objects.get('set') as KubeObject;
  }

  /** So many pods are brought to the template, and so many become ready. */
  live(made: number, ready: number): void {
    const { replicas, isPaused, kept, template: wanted } = rolledWorkload('CloneSet', this.object);
    const update = textAt(objectsAt(wanted, 'spec', 'containers')[0], 'image') ?? '';
    while (this.pods.length < replicas) this.pods.push({ revision: update, isReady: false });
    this.pods.length = replicas;
    const old = this.pods.filter(({ revision }) => revision !== update);
    const due = isPaused ? 0 : Math.min(made, Math.max(0, old.length - kept));
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
