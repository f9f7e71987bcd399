import { deepEqual } from '@/lib/kube/json';
import { keyOf } from '@/server/cluster/reflector-store';
import type { Worklist } from '@/server/controllers/engine/work-queue';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import type { EventType } from '@/sandbox/controllers/runtime/event-recorder';
import { REVISION } from '@/sandbox/controllers/deployment/replica-sets';
import { newCondition, withCondition } from '@/sandbox/controllers/deployment/conditions';
import { withoutZeros } from '@/sandbox/controllers/objects/amounts';
import type {
  Condition,
  Deployment,
  DeploymentStatus,
  ReplicaSet,
} from '@/sandbox/controllers/objects/workloads';

const UNLIMITED = 2_147_483_647;
const SOURCE = { component: 'deployment-controller' };

/** One Deployment with its ReplicaSets during a reconcile; every write updates both. */
export class DeploymentReconcile {
  readonly manager: ControllerManager;
  readonly #work: Worklist;
  #deployment: Deployment;
  #sets: readonly ReplicaSet[];

  constructor(
    manager: ControllerManager,
    work: Worklist,
    deployment: Deployment,
    sets: readonly ReplicaSet[],
  ) {
    this.manager = manager;
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

  /** Undefined without a deadline. */
  get deadlineSeconds(): number | undefined {
    const { progressDeadlineSeconds } = this.#deployment.spec;
    return progressDeadlineSeconds === UNLIMITED ? undefined : progressDeadlineSeconds;
  }

  requeueAfter(ms: number): void {
    this.#work.addAfter(keyOf(this.#deployment), ms);
  }

  record(type: EventType, reason: string, message: string): void {
    this.manager.events.record({ about: this.#deployment, type, reason, message, source: SOURCE });
  }

  /** Writes the condition Progressing, and the revision; without a deadline the revision alone. */
  async saveProgressing(
    state: 'True' | 'Unknown',
    reason: string,
    message: string,
    revision?: string,
  ): Promise<void> {
    const condition = newCondition(this.manager.now(), 'Progressing', state, reason, message);
    const conditions =
      this.deadlineSeconds === undefined ? [...this.conditions] : withCondition(this.conditions, condition);
    await this.saveStatus({ ...this.#deployment.status, conditions }, revision);
  }

  /** The revision is written with the status, as an annotation. */
  async saveStatus(status: DeploymentStatus, revision?: string): Promise<void> {
    const { metadata } = this.#deployment;
    const annotations =
      revision === undefined ? metadata.annotations : { ...metadata.annotations, [REVISION]: revision };
    const encoded = withoutZeros(status, ['terminatingReplicas']);
    const isSame = annotations?.[REVISION] === metadata.annotations?.[REVISION];
    if (isSame && deepEqual(encoded, this.#deployment.status)) return;
    const written = { ...this.#deployment, metadata: { ...metadata, annotations }, status: encoded };
    this.#deployment = await this.manager.deployments.replaceStatus(written);
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
