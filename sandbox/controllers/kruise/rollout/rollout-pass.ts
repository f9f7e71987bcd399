import { deepEqual } from '@/lib/kube/json';
import { type ObjectKey } from '@/server/cluster/reflector-store';
import { type Resource } from '@/sandbox/controllers/engine/resource';
import { type Worklist } from '@/server/controllers/engine/work-queue';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import {
  conditionOf,
  newCondition,
  withCondition,
  withoutCondition,
} from '@/sandbox/controllers/deployment/conditions';
import { type BatchReleaseObject } from '@/sandbox/controllers/kruise/shared/batch-release-object';
import { type KruiseKinds } from '@/sandbox/controllers/kruise/shared/kruise-kinds';
import {
  type CanaryPlan,
  planOf,
  type KruiseResource,
  type KruiseStatus,
  type CanaryStep,
  type Style,
  styleOf,
} from '@/sandbox/controllers/kruise/shared/rollout-object';
import { type SubStatus, subStatusOf, withSubStatus } from '@/sandbox/controllers/kruise/rollout/sub-status';
import { Traffic } from '@/sandbox/controllers/kruise/rollout/traffic';
import { POD_TEMPLATE_HASH, type RolloutWorkload } from '@/sandbox/controllers/kruise/shared/workload';
import { timeOf, timeText } from '@/sandbox/controllers/objects/time';
import { type Condition } from '@/sandbox/controllers/objects/workloads';

export interface RolloutPassOptions {
  readonly manager: ControllerManager;
  readonly work: Worklist;
  readonly key: ObjectKey;
  readonly kinds: KruiseKinds;
  readonly rollouts: Resource<KruiseResource>;
  readonly rollout: KruiseResource;
  readonly workload: RolloutWorkload | undefined;
}

/** One reconcile of a Rollout: the objects, and the status to write. */
export class RolloutPass {
  readonly manager: ControllerManager;
  readonly kinds: KruiseKinds;
  readonly rollout: KruiseResource;
  readonly workload: RolloutWorkload | undefined;
  readonly style: Style;
  readonly plan: CanaryPlan;
  readonly traffic: Traffic;
  sub: SubStatus | undefined;
  phase: string;
  message: string;
  #conditions: Condition[];
  readonly #options: RolloutPassOptions;

  constructor(options: RolloutPassOptions) {
    const { manager, kinds, rollout, workload } = options;
    this.#options = options;
    this.manager = manager;
    this.kinds = kinds;
    this.rollout = rollout;
    this.workload = workload;
    this.style = styleOf(rollout.spec);
    this.plan = planOf(rollout.spec);
    this.traffic = new Traffic(manager, rollout, workload?.revisionLabel ?? POD_TEMPLATE_HASH);
    this.sub = subStatusOf(rollout, this.style);
    this.phase = rollout.status.phase ?? '';
    this.message = rollout.status.message ?? '';
    this.#conditions = [...(rollout.status.conditions ?? [])];
  }

  get batchReleases(): Resource<BatchReleaseObject> | undefined {
    return this.kinds.batchReleases.resource?.as('kruise-manager');
  }

  get batchRelease(): BatchReleaseObject | undefined {
    return this.kinds.batchReleases.resource?.store.get(this.#options.key);
  }

  /** Undefined for an index that the plan does not have. */
  step(index: number): CanaryStep | undefined {
    return this.plan.steps[index - 1];
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
  progress(reason: string, message: string): void {
    this.setCondition('Progressing', 'True', reason, message);
    this.message = message;
  }

  /** Records the start of an action now, so that the next one waits for it. */
  touch(sub: SubStatus): void {
    sub.lastUpdateTime = timeText(this.manager.now());
  }

  /** Whether so long has passed since the last `touch`; otherwise it requeues for that time. */
  hasWaited(sub: SubStatus, ms: number): boolean {
    return this.hasPassed(timeOf(sub.lastUpdateTime), ms);
  }

  hasPassed(since: number | undefined, ms: number): boolean {
    const left = (since ?? -Infinity) + ms - this.manager.now();
    if (left <= 0) return true;
    this.#options.work.addAfter(this.#options.key, left);
    return false;
  }

  async save(): Promise<void> {
    const { rollout, rollouts } = this.#options;
    const { canaryStatus, blueGreenStatus, ...rest } = rollout.status;
    const before = { canaryStatus, blueGreenStatus };
    const base: KruiseStatus = {
      ...rest,
      ...(this.sub !== undefined && before),
      observedGeneration: rollout.metadata.generation ?? 1,
      phase: this.phase,
      message: this.message,
      ...(this.#conditions.length > 0 && { conditions: this.#conditions }),
    };
    if (this.#conditions.length === 0) delete base.conditions;
    const status = withSubStatus(base, this.style, this.sub);
    if (deepEqual(status, rollout.status)) return;
    await rollouts.replaceStatus({ ...rollout, status });
  }
}
