import { semanticText } from '@/lib/diff/normalize';
import { type ObjectKey } from '@/server/cluster/reflector-store';
import {
  type ArgoResource,
  COMPONENT,
  DESIRED_REPLICAS,
  HASH_LABEL,
  SCALE_DOWN_DEADLINE,
} from '@/sandbox/controllers/argo/argo-rollout';
import { revisionOf } from '@/sandbox/controllers/argo/annotations';
import { type ArgoKinds } from '@/sandbox/controllers/argo/argo-kinds';
import { ephemeralOf, withoutEphemeral } from '@/sandbox/controllers/argo/ephemeral-metadata';
import { PauseChanges } from '@/sandbox/controllers/argo/pause';
import { type EventType } from '@/sandbox/controllers/engine/object-event';
import { type Resource } from '@/sandbox/controllers/engine/resource';
import { type Worklist } from '@/server/controllers/engine/work-queue';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { isControlledBy } from '@/sandbox/controllers/objects/owner';
import { isDeleting, type Pod, type PodTemplateSpec } from '@/sandbox/controllers/objects/pod';
import { type ReplicaSet } from '@/sandbox/controllers/objects/workloads';
import { templateHash } from '@/sandbox/controllers/revisions/hash';
import { byCreation } from '@/sandbox/controllers/revisions/order';

export interface ArgoReconcileOptions {
  readonly manager: ControllerManager;
  readonly kinds: ArgoKinds;
  readonly rollouts: Resource<ArgoResource>;
  readonly rollout: ArgoResource;
  readonly work: Worklist;
  readonly key: ObjectKey;
}

/** One reconcile of a Rollout, with its ReplicaSets and the actions on them. */
export class ArgoReconcile {
  readonly manager: ControllerManager;
  readonly kinds: ArgoKinds;
  readonly rollouts: Resource<ArgoResource>;
  readonly pause = new PauseChanges();
  /** As last read or written. */
  rollout: ArgoResource;
  /** When the last pod was restarted as requested; undefined until all have been. */
  restartedAt: string | undefined;
  readonly #work: Worklist;
  readonly #key: ObjectKey;
  #sets: ReplicaSet[];

  constructor({ manager, kinds, rollouts, rollout, work, key }: ArgoReconcileOptions) {
    this.manager = manager;
    this.kinds = kinds;
    this.rollouts = rollouts;
    this.rollout = rollout;
    this.restartedAt = rollout.status.restartedAt;
    this.#work = work;
    this.#key = key;
    this.#sets = manager.replicaSets.store
      .inNamespace(rollout.metadata.namespace)
      .filter((set) => isControlledBy(set, rollout) && !isDeleting(set))
      .sort(byCreation);
  }

  /** Oldest first. */
  get sets(): readonly ReplicaSet[] {
    return this.#sets;
  }

  /** The one of the current template: by its name, else by the meaning of the template. */
  get fresh(): ReplicaSet | undefined {
    const { template } = this.rollout.spec;
    const hash = this.#hashOfTemplate();
    return (
      this.#sets.find((set) => hashOf(set) === hash) ??
      this.#sets.find((set) => textOf(recordedTemplate(set)) === textOf(template))
    );
  }

  get stable(): ReplicaSet | undefined {
    const { stableRS } = this.rollout.status;
    return stableRS === undefined ? undefined : this.#sets.find((set) => hashOf(set) === stableRS);
  }

  /** All but the one of the current template. */
  get older(): ReplicaSet[] {
    const { fresh } = this;
    return this.#sets.filter((set) => set !== fresh);
  }

  /** Neither the new nor the stable one. */
  get others(): ReplicaSet[] {
    const { stable } = this;
    return this.older.filter((set) => set !== stable);
  }

  /** Hash of the current template, whether or not a ReplicaSet has it. */
  get hash(): string {
    const { fresh } = this;
    return fresh === undefined ? this.#hashOfTemplate() : hashOf(fresh);
  }

  /** Whether no pods are to change. */
  get isHalted(): boolean {
    const { spec, status } = this.rollout;
    const reasons = (status.pauseConditions ?? []).map(({ reason }) => reason);
    return spec.paused === true || reasons.includes('InconclusiveAnalysisRun');
  }

  get isAborted(): boolean {
    return this.pause.isAborted(this.rollout.status);
  }

  podsOf(set: ReplicaSet): Pod[] {
    return this.manager.pods.store
      .inNamespace(set.metadata.namespace)
      .filter((pod) => isControlledBy(pod, set));
  }

  record(type: EventType, reason: string, message: string): void {
    this.manager.events.record({
      about: this.rollout,
      type,
      reason,
      message,
      source: { component: COMPONENT },
    });
  }

  /** Requeues for that time at the latest. */
  requeueAfter(afterMs: number): void {
    this.#work.addAfter(this.#key, Math.max(0, afterMs));
  }

  async write(set: ReplicaSet): Promise<ReplicaSet> {
    const written = await this.manager.replicaSets.as('rollouts-controller').replace(set);
    this.#sets = this.#sets.map((own) => (own.metadata.uid === written.metadata.uid ? written : own));
    return written;
  }

  add(set: ReplicaSet): void {
    this.#sets = [...this.#sets, set];
  }

  /**
   * Returns whether the number of pods changed. A ReplicaSet without pods has nothing to delete at a
   * deadline.
   */
  async scale(set: ReplicaSet, replicas: number, keepDeadline = false): Promise<boolean> {
    const { name, annotations } = set.metadata;
    const desired = String(this.rollout.spec.replicas);
    const before = set.spec.replicas;
    if (before === replicas && annotations?.[DESIRED_REPLICAS] === desired) return false;
    const marked: Record<string, string> = { ...annotations, [DESIRED_REPLICAS]: desired };
    if (replicas === 0 && !keepDeadline) delete marked[SCALE_DOWN_DEADLINE];
    await this.write({
      ...set,
      metadata: { ...set.metadata, annotations: marked },
      spec: { ...set.spec, replicas },
    });
    if (before === replicas) return false;
    const direction = before < replicas ? 'up' : 'down';
    const message = `Scaled ${direction} ReplicaSet ${name} (revision ${revisionOf(set)}) from ${before} to ${replicas}`;
    this.record('Normal', 'ScalingReplicaSet', message);
    return true;
  }

  #hashOfTemplate(): string {
    return templateHash(this.rollout.spec.template, this.rollout.status.collisionCount);
  }
}

export function hashOf({ metadata }: Pick<ReplicaSet, 'metadata'>): string {
  return metadata.labels?.[HASH_LABEL] ?? '';
}

/** The template that a ReplicaSet was created from. */
function recordedTemplate(set: ReplicaSet): PodTemplateSpec {
  const { template } = set.spec;
  const bare = withoutEphemeral(template, ephemeralOf(set));
  const { [HASH_LABEL]: _hash, ...labels } = bare.metadata?.labels ?? {};
  return { ...bare, metadata: { ...bare.metadata, labels } };
}

function textOf(template: PodTemplateSpec): string {
  return semanticText(template);
}
