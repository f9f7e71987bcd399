import { deepEqual, type JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { objectAt } from '@/lib/kube/read';
import type { ObjectKey } from '@/server/cluster/reflector-store';
import type { Worklist } from '@/server/controllers/engine/work-queue';
import {
  conditionOf,
  newCondition,
  withCondition,
  withoutCondition,
} from '@/sandbox/controllers/deployment/conditions';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import type { Resource } from '@/sandbox/controllers/runtime/resource';
import { type KruiseRollout, planOf, styleOf } from '@/sandbox/controllers/kruise/rollout/rollout-object';
import { rolloutIdOf, type RolloutWorkload } from '@/sandbox/controllers/kruise/rollout/workload';
import { timeOf, timeText } from '@/sandbox/controllers/objects/time';
import type { Condition } from '@/sandbox/controllers/objects/workloads';

/** `status.canaryStatus`; that of a blue-green rollout has the word `updated` in the place of `canary`. */
export type StepProgress = {
  observedRolloutID: string;
  stableRevision: string;
  canaryRevision: string;
  podTemplateHash: string;
  canaryReplicas: number;
  canaryReadyReplicas: number;
  /** From 1. */
  currentStepIndex: number;
  /** -1 after the last. */
  nextStepIndex: number;
  currentStepState: string;
  finalisingStep: string;
  /** RFC 3339; of the last action, for which the next one waits. */
  lastUpdateTime: string;
};

interface RolloutPassOptions {
  readonly manager: ControllerManager;
  readonly work: Worklist;
  readonly key: ObjectKey;
  readonly rollouts: Resource<KruiseRollout>;
  readonly batchReleases: Resource<KubeObject>;
  readonly rollout: KruiseRollout;
  readonly workload: RolloutWorkload | undefined;
}

/** One reconcile of a Rollout: the objects, and the status to write. */
export class RolloutPass {
  readonly manager;
  readonly batchReleases;
  readonly rollout;
  readonly workload;
  readonly style;
  readonly plan;
  progress: StepProgress | undefined;
  phase: string;
  message: string;
  #conditions: readonly Condition[];
  readonly #options: RolloutPassOptions;

  constructor(options: RolloutPassOptions) {
    const { manager, batchReleases, rollout, workload } = options;
    this.#options = options;
    this.manager = manager;
    this.batchReleases = batchReleases;
    this.rollout = rollout;
    this.workload = workload;
    this.style = styleOf(rollout.spec);
    this.plan = planOf(rollout.spec);
    const progress = objectAt(rollout.status, this.#member);
    if (progress !== undefined) this.progress = rename(progress, 'updated', 'canary') as StepProgress;
    this.phase = rollout.status.phase ?? '';
    this.message = rollout.status.message ?? '';
    this.#conditions = rollout.status.conditions ?? [];
  }

  get batchRelease(): KubeObject | undefined {
    return this.batchReleases.store.get(this.#options.key);
  }

  get #member(): 'blueGreenStatus' | 'canaryStatus' {
    return this.style === 'BlueGreen' ? 'blueGreenStatus' : 'canaryStatus';
  }

  condition(type: string): Condition | undefined {
    return conditionOf(this.#conditions, type);
  }

  setCondition(type: string, status: 'True' | 'False', reason: string): void {
    const condition = newCondition(this.manager.now(), type, status, reason, this.message);
    this.#conditions = withCondition(this.#conditions, condition);
  }

  dropCondition(type: string): void {
    this.#conditions = withoutCondition(this.#conditions, type);
  }

  /** `Progressing` with that reason. */
  setProgressing(reason: string, message: string): void {
    this.message = message;
    this.setCondition('Progressing', 'True', reason);
  }

  /** At the first step, or as before the first rollout: as though all steps were done. */
  startProgress(workload: RolloutWorkload, isIdle = false): void {
    this.progress = {
      observedRolloutID: rolloutIdOf(workload),
      stableRevision: workload.stableRevision,
      canaryRevision: workload.revision,
      podTemplateHash: isIdle ? workload.podTemplateHash : '',
      canaryReplicas: 0,
      canaryReadyReplicas: 0,
      currentStepIndex: isIdle ? this.plan.steps.length : 1,
      nextStepIndex: isIdle ? -1 : this.indexAfter(1),
      currentStepState: isIdle ? 'Completed' : 'BeforeStepUpgrade',
      finalisingStep: '',
      lastUpdateTime: isIdle ? '' : timeText(this.manager.now()),
    };
  }

  indexAfter(index: number): number {
    return index < this.plan.steps.length ? index + 1 : -1;
  }

  /** Enters a step that waits from now on. */
  enter(progress: StepProgress, step: Partial<StepProgress>): void {
    Object.assign(progress, step, { lastUpdateTime: timeText(this.manager.now()) });
  }

  /** Whether so long has passed since that time; otherwise it requeues for the rest. */
  hasWaited(since: string | undefined, ms: number): boolean {
    const left = (timeOf(since) ?? -Infinity) + ms - this.manager.now();
    if (left > 0) this.requeue(left);
    return left <= 0;
  }

  requeue(ms: number): void {
    this.#options.work.addAfter(this.#options.key, ms);
  }

  async save(): Promise<void> {
    const { rollout, rollouts } = this.#options;
    const { currentStepIndex = 0, currentStepState = '' } = this.progress ?? {};
    const { generation = 1 } = rollout.metadata;
    const { phase, message } = this;
    const status: JsonObject = {
      observedGeneration: generation,
      phase,
      message,
      currentStepIndex,
      currentStepState,
    };
    if (this.#conditions.length > 0) status.conditions = [...this.#conditions];
    if (this.progress !== undefined)
      status[this.#member] =
        this.style === 'BlueGreen' ? rename(this.progress, 'canary', 'updated') : this.progress;
    if (!deepEqual(status, rollout.status)) await rollouts.replaceStatus({ ...rollout, status });
  }
}

/** With another word at the beginning of those names that begin with the one. */
function rename(object: JsonObject, from: string, to: string): JsonObject {
  const entries = Object.entries(object).map(([name, value]) => [
    name.startsWith(from) ? `${to}${name.slice(from.length)}` : name,
    value,
  ]);
  return Object.fromEntries(entries) as JsonObject;
}
