import type { KubeObject } from '@/lib/kube/object';
import {
  type AnalysisRun,
  type ArgoResource,
  DESIRED_REPLICAS,
  HASH_LABEL,
  REVISION,
  SCALE_DOWN_DEADLINE,
} from '@/sandbox/controllers/argo/argo-rollout';
import { recordedTemplate, templateText } from '@/sandbox/controllers/argo/templates';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import type { CustomKind } from '@/sandbox/controllers/runtime/custom-kind';
import type { EventType } from '@/sandbox/controllers/runtime/event-recorder';
import type { Resource } from '@/sandbox/controllers/runtime/resource';
import { isControlledBy } from '@/sandbox/controllers/objects/owner';
import { isDeleting, type Pod } from '@/sandbox/controllers/objects/pod';
import { timeOf } from '@/sandbox/controllers/objects/time';
import type { ReplicaSet } from '@/sandbox/controllers/objects/workloads';
import { templateHash } from '@/sandbox/controllers/revisions/hash';
import { byCreation } from '@/sandbox/controllers/revisions/controller-revisions';
import type { Seen } from '@/sandbox/engine/stepped-rollout';

/** The kinds of Argo Rollouts that the sandbox supports. */
export interface ArgoKinds {
  readonly rollouts: CustomKind<ArgoResource>;
  readonly analysisRuns: CustomKind<AnalysisRun>;
  readonly analysisTemplates: CustomKind<KubeObject>;
}

/** One reconcile of a Rollout, with its ReplicaSets and the actions on them. */
export class ArgoReconcile {
  readonly manager: ControllerManager;
  readonly kinds: ArgoKinds;
  readonly rollouts: Resource<ArgoResource>;
  /** As last read or written. */
  rollout: ArgoResource;
  /** Requeues for that time at the latest. */
  readonly requeueAfter: (ms: number) => void;
  #sets: ReplicaSet[];
  #freshName: string | undefined;

  constructor(
    manager: ControllerManager,
    kinds: ArgoKinds,
    rollouts: Resource<ArgoResource>,
    rollout: ArgoResource,
    requeueAfter: (ms: number) => void,
  ) {
    this.manager = manager;
    this.kinds = kinds;
    this.rollouts = rollouts;
    this.rollout = rollout;
    this.requeueAfter = requeueAfter;
    this.#sets = manager.replicaSets.store
      .inNamespace(rollout.metadata.namespace)
      .filter((set) => isControlledBy(set, rollout) && !isDeleting(set))
      .sort(byCreation);
    const text = templateText(rollout.spec.template);
    this.#freshName = this.#sets.find((set) => templateText(recordedTemplate(set)) === text)?.metadata.name;
  }

  /** Oldest first. */
  get sets(): readonly ReplicaSet[] {
    return this.#sets;
  }

  /** The one of the current template. */
  get fresh(): ReplicaSet | undefined {
    return this.#sets.find(({ metadata }) => metadata.name === this.#freshName);
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
   * Whether it returns to pods that need no steps: to the stable ones, or to a ReplicaSet that is older, with
   * few enough created between the two.
   * https://argo-rollouts.readthedocs.io/en/stable/features/rollback/
   */
  get isReturn(): boolean {
    const { fresh, stable, rollout } = this;
    if (fresh === undefined || stable === undefined) return false;
    const distance = this.#sets.indexOf(stable) - this.#sets.indexOf(fresh);
    return distance >= 0 && distance <= (rollout.spec.rollbackWindow?.revisions ?? 0);
  }

  /** Whether the rest of the steps is left out. */
  get skipsSteps(): boolean {
    return this.rollout.status.promoteFull === true || this.isReturn;
  }

  /** What a step may wait for. */
  see(isSized: boolean, analysis: Seen['analysis']): Seen {
    const { pauseConditions, controllerPause } = this.rollout.status;
    const pausedAt = timeOf(pauseConditions?.[0]?.startTime);
    const isResumed = pausedAt === undefined && controllerPause === true;
    return { now: this.manager.now(), pausedAt, isResumed, isSized, isRouted: true, analysis };
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

  async write(set: ReplicaSet): Promise<ReplicaSet> {
    const written = await this.manager.replicaSets.as('rollouts-controller').replace(set);
    this.#sets = this.#sets.map((own) => (own.metadata.uid === written.metadata.uid ? written : own));
    return written;
  }

  addFresh(set: ReplicaSet): void {
    this.#sets = [...this.#sets, set];
    this.#freshName = set.metadata.name;
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

export function hashOf({ metadata }: ReplicaSet): string {
  return metadata.labels?.[HASH_LABEL] ?? '';
}

export function revisionOf({ metadata }: ReplicaSet): number {
  return Number(metadata.annotations?.[REVISION] ?? 0);
}

/** Available pods; those beyond the desired number are about to be deleted. */
export function availableOf(set: ReplicaSet | undefined): number {
  return set?.status.availableReplicas ?? 0;
}
