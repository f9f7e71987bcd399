import { deepEqual, type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { numberAt, objectAt, textAt } from '@/lib/kube/read';
import { type ObjectKey } from '@/server/cluster/reflector-store';
import { type Worklist } from '@/server/controllers/engine/work-queue';
import {
  conditionOf,
  newCondition,
  withCondition,
  withoutCondition,
} from '@/sandbox/controllers/deployment/conditions';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { type Resource } from '@/sandbox/controllers/engine/resource';
import { type KruiseRollout, planOf, styleOf } from '@/sandbox/controllers/kruise/rollout/rollout-object';
import { Traffic } from '@/sandbox/controllers/kruise/rollout/traffic';
import {
  POD_TEMPLATE_HASH,
  rolloutIdOf,
  type RolloutWorkload,
} from '@/sandbox/controllers/kruise/rollout/workload';
import { timeOf, timeText } from '@/sandbox/controllers/objects/time';
import { type Condition } from '@/sandbox/controllers/objects/workloads';

/** The progress of a rollout: `canaryStatus` or `blueGreenStatus`, in one form. */
export interface StepProgress {
  observedRolloutID: string;
  stableRevision: string;
  /** `canaryRevision` or `updatedRevision`. */
  revision: string;
  podTemplateHash: string;
  replicas: number;
  readyReplicas: number;
  /** From 1. */
  currentStepIndex: number;
  /** -1 after the last. */
  nextStepIndex: number;
  currentStepState: string;
  finalisingStep: string;
  /** RFC 3339; of the last action, for which the next one waits. */
  lastUpdateTime: string;
}

export interface RolloutPassOptions {
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
  readonly traffic: Traffic;
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
    this.traffic = new Traffic(manager, rollout, workload?.revisionLabel ?? POD_TEMPLATE_HASH);
    this.progress = this.#readProgress();
    this.phase = rollout.status.phase ?? '';
    this.message = rollout.status.message ?? '';
    this.#conditions = rollout.status.conditions ?? [];
  }

  get batchRelease(): KubeObject | undefined {
    return this.batchReleases.store.get(this.#options.key);
  }

  condition(type: string): Condition | undefined {
    return conditionOf(this.#conditions, type);
  }

  setCondition(type: string, status: 'True' | 'False', reason: string, message = ''): void {
    const condition = newCondition(this.manager.now(), type, status, reason, message);
    this.#conditions = withCondition(this.#conditions, condition);
  }

  dropCondition(type: string): void {
    this.#conditions = withoutCondition(this.#conditions, type);
  }

  /** `Progressing` with that reason, and the same message at the top of the status. */
  setProgressing(reason: string, message: string): void {
    this.setCondition('Progressing', 'True', reason, message);
    this.message = message;
  }

  /** At the first step, or as before the first rollout: as though all steps were done. */
  startProgress(workload: RolloutWorkload, isIdle = false): void {
    const { length } = this.plan.steps;
    this.progress = {
      observedRolloutID: rolloutIdOf(workload),
      stableRevision: workload.stableRevision,
      revision: workload.revision,
      podTemplateHash: isIdle ? workload.podTemplateHash : '',
      replicas: 0,
      readyReplicas: 0,
      currentStepIndex: isIdle ? length : 1,
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

  /** Whether so long has passed since the last action; otherwise it requeues for that time. */
  hasWaited({ lastUpdateTime }: StepProgress, ms: number): boolean {
    return this.hasPassed(timeOf(lastUpdateTime), ms);
  }

  hasPassed(since: number | undefined, ms: number): boolean {
    const left = (since ?? -Infinity) + ms - this.manager.now();
    if (left > 0) this.requeue(left);
    return left <= 0;
  }

  requeue(ms: number): void {
    this.#options.work.addAfter(this.#options.key, ms);
  }

  async save(): Promise<void> {
    const { rollout, rollouts } = this.#options;
    const { currentStepIndex = 0, currentStepState = '' } = this.progress ?? {};
    const status: JsonObject = {
      observedGeneration: rollout.metadata.generation ?? 1,
      phase: this.phase,
      message: this.message,
      currentStepIndex,
      currentStepState,
    };
    if (this.#conditions.length > 0) status.conditions = [...this.#conditions];
    if (this.progress !== undefined) status[this.#member] = this.#writeProgress(this.progress);
    if (!deepEqual(status, rollout.status)) await rollouts.replaceStatus({ ...rollout, status });
  }

  get #member(): string {
    return this.style === 'BlueGreen' ? 'blueGreenStatus' : 'canaryStatus';
  }

  get #names() {
    return this.style === 'BlueGreen'
      ? { revision: 'updatedRevision', replicas: 'updatedReplicas', readyReplicas: 'updatedReadyReplicas' }
      : { revision: 'canaryRevision', replicas: 'canaryReplicas', readyReplicas: 'canaryReadyReplicas' };
  }

  #readProgress(): StepProgress | undefined {
    const raw = objectAt(this.rollout.status, this.#member);
    if (raw === undefined) return undefined;
    const names = this.#names;
    const text = (key: string) => textAt(raw, key) ?? '';
    const number = (key: string) => numberAt(raw, key) ?? 0;
    return {
      observedRolloutID: text('observedRolloutID'),
      stableRevision: text('stableRevision'),
      revision: text(names.revision),
      podTemplateHash: text('podTemplateHash'),
      replicas: number(names.replicas),
      readyReplicas: number(names.readyReplicas),
      currentStepIndex: number('currentStepIndex'),
      nextStepIndex: number('nextStepIndex'),
      currentStepState: text('currentStepState'),
      finalisingStep: text('finalisingStep'),
      lastUpdateTime: text('lastUpdateTime'),
    };
  }

  /** Empty texts are left out, but for those that the definition requires. */
  #writeProgress(progress: StepProgress): JsonObject {
    const { revision, replicas, readyReplicas, stableRevision, lastUpdateTime, ...rest } = progress;
    const names = this.#names;
    const raw: JsonObject = { ...rest, [names.revision]: revision, [names.replicas]: replicas };
    raw[names.readyReplicas] = readyReplicas;
    if (stableRevision !== '') raw.stableRevision = stableRevision;
    if (lastUpdateTime !== '') raw.lastUpdateTime = lastUpdateTime;
    return raw;
  }
}
