import { deepEqual } from '@/lib/kube/json';
import { type ObjectKey } from '@/server/cluster/reflector-store';
import { type EventType } from '@/sandbox/controllers/engine/object-event';
import { type Worklist } from '@/server/controllers/engine/work-queue';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { REVISION } from '@/sandbox/controllers/deployment/annotations';
import { withoutZeros } from '@/sandbox/controllers/objects/amounts';
import { type Pod } from '@/sandbox/controllers/objects/pod';
import { isControlledBy } from '@/sandbox/controllers/objects/owner';
import {
  type Condition,
  type Deployment,
  type DeploymentStatus,
  type ReplicaSet,
} from '@/sandbox/controllers/objects/workloads';

const UNLIMITED = 2_147_483_647;
const SOURCE = { component: 'deployment-controller' };

/** One Deployment with its ReplicaSets during a reconcile; every write updates both. */
export class DeploymentReconcile {
  readonly manager: ControllerManager;
  readonly key: ObjectKey;
  readonly #work: Worklist;
  #deployment: Deployment;
  #sets: ReplicaSet[];

  constructor(
    manager: ControllerManager,
    work: Worklist,
    key: ObjectKey,
    deployment: Deployment,
    sets: ReplicaSet[],
  ) {
    this.manager = manager;
    this.key = key;
    this.#work = work;
    this.#deployment = deployment;
    this.#sets = sets;
  }

  get deployment(): Deployment {
    return this.#deployment;
  }

  get sets(): readonly ReplicaSet[] {
    return this.#sets;
  }

  get conditions(): readonly Condition[] {
    return this.#deployment.status.conditions ?? [];
  }

  get hasDeadline(): boolean {
    const { progressDeadlineSeconds } = this.#deployment.spec;
    return progressDeadlineSeconds !== undefined && progressDeadlineSeconds !== UNLIMITED;
  }

  requeueAfter(ms: number): void {
    this.#work.addAfter(this.key, ms);
  }

  record(type: EventType, reason: string, message: string): void {
    this.manager.events.record({ about: this.#deployment, type, reason, message, source: SOURCE });
  }

  podsOf(set: ReplicaSet): Pod[] {
    return this.manager.pods.store
      .inNamespace(set.metadata.namespace)
      .filter((pod) => isControlledBy(pod, set));
  }

  /** The revision is written with the status, as an annotation. */
  async saveStatus(status: DeploymentStatus, revision?: string): Promise<void> {
    const { metadata } = this.#deployment;
    const before = metadata.annotations?.[REVISION];
    const encoded = withoutZeros(status, ['terminatingReplicas', 'collisionCount']);
    if ((revision ?? before) === before && deepEqual(encoded, this.#deployment.status)) return;
    const annotations =
      revision === undefined ? metadata.annotations : { ...metadata.annotations, [REVISION]: revision };
    this.#deployment = await this.manager.deployments.replaceStatus({
      ...this.#deployment,
      metadata: annotations === undefined ? metadata : { ...metadata, annotations },
      status: encoded,
    });
  }

  async replace(deployment: Deployment): Promise<void> {
    this.#deployment = await this.manager.deployments.replace(deployment);
  }

  async replaceSet(set: ReplicaSet): Promise<ReplicaSet> {
    const written = await this.manager.replicaSets.replace(set);
    this.#sets = this.#sets.map((held) => (held.metadata.uid === written.metadata.uid ? written : held));
    return written;
  }

  addSet(set: ReplicaSet): void {
    this.#sets = [...this.#sets, set];
  }
}
