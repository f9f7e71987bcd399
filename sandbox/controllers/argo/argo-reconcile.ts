import { type KubeObject } from '@/lib/kube/object';
import { type ObjectKey } from '@/server/cluster/reflector-store';
import { type Worklist } from '@/server/controllers/engine/work-queue';
import {
  type AnalysisRun,
  type ArgoResource,
  type ArgoStatus,
  DESIRED_REPLICAS,
  HASH_LABEL,
  REVISION,
  SCALE_DOWN_DEADLINE,
} from '@/sandbox/controllers/argo/argo-rollout';
import { recordedTemplate, sameTemplate } from '@/sandbox/controllers/argo/templates';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { type EventType } from '@/sandbox/controllers/engine/object-event';
import { type Resource } from '@/sandbox/controllers/engine/resource';
import { isControlledBy } from '@/sandbox/controllers/objects/owner';
import { isDeleting, type Pod } from '@/sandbox/controllers/objects/pod';
import { timeOf } from '@/sandbox/controllers/objects/time';
import { type ReplicaSet } from '@/sandbox/controllers/objects/workloads';
import { templateHash } from '@/sandbox/controllers/revisions/hash';
import { byCreation } from '@/sandbox/controllers/revisions/order';

interface ArgoReconcileOptions {
  readonly manager: ControllerManager;
  readonly rollouts: Resource<ArgoResource>;
  /** Undefined where they are not served. */
  readonly analysisRuns: Resource<AnalysisRun> | undefined;
  readonly analysisTemplates: Resource<KubeObject> | undefined;
  readonly rollout: ArgoResource;
  readonly work: Worklist;
  readonly key: ObjectKey;
}

/** One reconcile of a Rollout, with its ReplicaSets and the actions on them. */
export class ArgoReconcile {
  readonly manager: ControllerManager;
  readonly rollouts: Resource<ArgoResource>;
  readonly analysisRuns: Resource<AnalysisRun> | undefined;
  readonly analysisTemplates: Resource<KubeObject> | undefined;
  /** As last read or written. */
  rollout: ArgoResource;
  readonly #options: ArgoReconcileOptions;
  #sets: ReplicaSet[];

  constructor(options: ArgoReconcileOptions) {
    const { manager, rollouts, analysisRuns, analysisTemplates, rollout } = options;
    this.manager = manager;
    this.rollouts = rollouts;
    this.analysisRuns = analysisRuns;
    this.analysisTemplates = analysisTemplates;
    this.rollout = rollout;
    this.#options = options;
    this.#sets = manager.replicaSets.store
      .inNamespace(rollout.metadata.namespace)
      .filter((set) => isControlledBy(set, rollout) && !isDeleting(set))
      .sort(byCreation);
  }

  /** Oldest first. */
  get sets(): readonly ReplicaSet[] {
    return this.#sets;
  }

  /** The one of the current template. */
  get fresh(): ReplicaSet | undefined {
    const { template } = this.rollout.spec;
    return this.#sets.find((set) => sameTemplate(recordedTemplate(set), template));
  }

  get stable(): ReplicaSet | undefined {
    const { stableRS } = this.rollout.status;
    return stableRS === undefined ? undefined : this.#sets.find((set) => hashOf(set) === stableRS);
  }

  /** Neither the new nor the stable one, newest first. */
  get others(): ReplicaSet[] {
    const { fresh, stable } = this;
    return this.#sets.filter((set) => set !== fresh && set !== stable).reverse();
  }

  /**
   * Hash of the current template, whether or not a ReplicaSet has it; with a count, unlike that of a
   * Deployment, which may have the same name and template.
   */
  get hash(): string {
    const { fresh, rollout } = this;
    return fresh === undefined ? templateHash(rollout.spec.template, 0) : hashOf(fresh);
  }

  /** The template differs from the one that was rolled out last. */
  get hasNewTemplate(): boolean {
    const { currentPodHash } = this.rollout.status;
    return currentPodHash !== undefined && currentPodHash !== this.hash;
  }

  /** Whether no pods are to change. */
  get isHalted(): boolean {
    const { spec, status } = this.rollout;
    return spec.paused === true || status.pauseConditions?.[0]?.reason === 'InconclusiveAnalysisRun';
  }

  /**
   * Whether the rest of the steps is left out: as a user requested, or for a return to a ReplicaSet that is
   * older than the stable one, with few enough created between the two.
   * https://argo-rollouts.readthedocs.io/en/stable/features/rollback/
   */
  get skipsSteps(): boolean {
    return this.rollout.status.promoteFull === true || this.isInRollbackWindow;
  }

  get isInRollbackWindow(): boolean {
    const { fresh, stable, rollout } = this;
    if (fresh === undefined || stable === undefined) return false;
    const distance = this.#sets.indexOf(stable) - this.#sets.indexOf(fresh);
    return distance > 0 && distance <= (rollout.spec.rollbackWindow?.revisions ?? 0);
  }

  podsOf(set: ReplicaSet): Pod[] {
    return this.manager.pods.store
      .inNamespace(set.metadata.namespace)
      .filter((pod) => isControlledBy(pod, set));
  }

  record(reason: string, message: string, type: EventType = 'Normal'): void {
    const source = { component: 'rollouts-controller' };
    this.manager.events.record({ about: this.rollout, type, reason, message, source });
  }

  /** Requeues for that time at the latest. */
  requeueAfter(afterMs: number): void {
    const { work, key } = this.#options;
    work.addAfter(key, Math.max(0, afterMs));
  }

  async write(set: ReplicaSet): Promise<ReplicaSet> {
    const written = await this.manager.replicaSets.as('rollouts-controller').replace(set);
    this.#sets = this.#sets.map((own) => (own.metadata.uid === written.metadata.uid ? written : own));
    return written;
  }

  add(set: ReplicaSet): void {
    this.#sets = [...this.#sets, set];
  }

  /** A ReplicaSet without pods has nothing to delete at a deadline. */
  async scale(set: ReplicaSet, replicas: number): Promise<void> {
    const { name, annotations } = set.metadata;
    const desired = String(this.rollout.spec.replicas);
    const before = set.spec.replicas;
    if (before === replicas && annotations?.[DESIRED_REPLICAS] === desired) return;
    const marked: Record<string, string> = { ...annotations, [DESIRED_REPLICAS]: desired };
    if (replicas === 0) delete marked[SCALE_DOWN_DEADLINE];
    const metadata = { ...set.metadata, annotations: marked };
    await this.write({ ...set, metadata, spec: { ...set.spec, replicas } });
    if (before === replicas) return;
    const direction = before < replicas ? 'up' : 'down';
    const message = `Scaled ${direction} ReplicaSet ${name} (revision ${revisionOf(set)}) from ${before} to ${replicas}`;
    this.record('ScalingReplicaSet', message);
  }
}

export function hashOf({ metadata }: Pick<ReplicaSet, 'metadata'>): string {
  return metadata.labels?.[HASH_LABEL] ?? '';
}

/** 0 without a readable number. */
export function revisionOf({ metadata }: Pick<ReplicaSet, 'metadata'>): number {
  const text = metadata.annotations?.[REVISION] ?? '';
  return /^\d+$/.test(text) ? Number(text) : 0;
}

/** Available pods; those beyond the desired number are about to be deleted. */
export function availableOf(set: ReplicaSet | undefined): number {
  return set?.status.availableReplicas ?? 0;
}

/** When a ReplicaSet loses its pods, in milliseconds since the epoch; undefined while it is in use. */
export function deadlineOf({ metadata }: ReplicaSet): number | undefined {
  return timeOf(metadata.annotations?.[SCALE_DOWN_DEADLINE]);
}

/** When its pause began, in milliseconds since the epoch; undefined while there is none. */
export function pausedSince({ pauseConditions }: ArgoStatus): number | undefined {
  return timeOf(pauseConditions?.[0]?.startTime);
}
