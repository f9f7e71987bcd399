import { deepEqual } from '@/lib/kube/json';
import { type ObjectKey } from '@/server/cluster/reflector-store';
import { type Resource } from '@/server/sandbox/controllers/engine/resource';
import { type Worklist } from '@/server/controllers/engine/work-queue';
import { type World } from '@/server/sandbox/controllers/engine/world';
import {
  conditionOf,
  newCondition,
  withCondition,
  withoutCondition,
} from '@/server/sandbox/controllers/deployment/conditions';
import { type BatchRelease } from '@/server/sandbox/controllers/kruise/batch-release/batch-release-object';
import { type KruiseKinds } from '@/server/sandbox/controllers/kruise/rollout/kruise-kinds';
import {
  type Plan,
  planOf,
  type Rollout,
  type RolloutStatus,
  type Step,
  type Style,
  styleOf,
} from '@/server/sandbox/controllers/kruise/rollout/rollout-object';
import {
  type SubStatus,
  subStatusOf,
  withSubStatus,
} from '@/server/sandbox/controllers/kruise/rollout/sub-status';
import { Traffic } from '@/server/sandbox/controllers/kruise/rollout/traffic';
import { POD_TEMPLATE_HASH, type Workload } from '@/server/sandbox/controllers/kruise/rollout/workload';
import { timeOf, timeText } from '@/server/sandbox/controllers/objects/time';
import { type Condition } from '@/server/sandbox/controllers/objects/workloads';

export interface ReleaseOptions {
  readonly world: World;
  readonly work: Worklist;
  readonly key: ObjectKey;
  readonly kinds: KruiseKinds;
  readonly rollouts: Resource<Rollout>;
  readonly rollout: Rollout;
  readonly workload: Workload | undefined;
}

/** One look at a Rollout: what is there, and the status as it will be written. */
export class Release {
  readonly world: World;
  readonly kinds: KruiseKinds;
  readonly rollout: Rollout;
  readonly workload: Workload | undefined;
  readonly style: Style;
  readonly plan: Plan;
  readonly traffic: Traffic;
  sub: SubStatus | undefined;
  phase: string;
  message: string;
  #conditions: Condition[];
  readonly #options: ReleaseOptions;

  constructor(options: ReleaseOptions) {
    const { world, kinds, rollout, workload } = options;
    this.#options = options;
    this.world = world;
    this.kinds = kinds;
    this.rollout = rollout;
    this.workload = workload;
    this.style = styleOf(rollout.spec);
    this.plan = planOf(rollout.spec);
    this.traffic = new Traffic(world, rollout, workload?.revisionLabel ?? POD_TEMPLATE_HASH);
    this.sub = subStatusOf(rollout, this.style);
    this.phase = rollout.status.phase ?? '';
    this.message = rollout.status.message ?? '';
    this.#conditions = [...(rollout.status.conditions ?? [])];
  }

  get batchReleases(): Resource<BatchRelease> | undefined {
    return this.kinds.batchReleases.resource?.as('kruise-manager');
  }

  get batchRelease(): BatchRelease | undefined {
    return this.kinds.batchReleases.resource?.store.get(this.#options.key);
  }

  /** Undefined for an index that the plan does not have. */
  step(index: number): Step | undefined {
    return this.plan.steps[index - 1];
  }

  condition(type: string): Condition | undefined {
    return conditionOf(this.#conditions, type);
  }

  setCondition(type: string, status: 'True' | 'False', reason: string, message = ''): void {
    const condition = newCondition(this.world.now(), type, status, reason, message);
    this.#conditions = withCondition(this.#conditions, condition);
  }

  dropCondition(type: string): void {
    this.#conditions = withoutCondition(this.#conditions, type);
  }

  /** `Progressing` with that reason, and the same words at the top of the status. */
  progress(reason: string, message: string): void {
    this.setCondition('Progressing', 'True', reason, message);
    this.message = message;
  }

  /** Notes that something was begun now, so that the next thing waits for it. */
  touch(sub: SubStatus): void {
    sub.lastUpdateTime = timeText(this.world.now());
  }

  /** Whether so long has passed since the last `touch`; otherwise it is looked at again then. */
  hasWaited(sub: SubStatus, ms: number): boolean {
    return this.hasPassed(timeOf(sub.lastUpdateTime), ms);
  }

  hasPassed(since: number | undefined, ms: number): boolean {
    const left = (since ?? -Infinity) + ms - this.world.now();
    if (left <= 0) return true;
    this.#options.work.addAfter(this.#options.key, left);
    return false;
  }

  async save(): Promise<void> {
    const { rollout, rollouts } = this.#options;
    const { canaryStatus, blueGreenStatus, ...rest } = rollout.status;
    const before = { canaryStatus, blueGreenStatus };
    const base: RolloutStatus = {
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
