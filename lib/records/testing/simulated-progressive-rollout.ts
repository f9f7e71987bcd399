import type { Observation, ObservedProgressiveRollout } from '@/lib/records/observation';
import { AS_WRITTEN, incarnation, refOf } from '@/lib/records/testing/simulated-workload';
import type { RolloutPod } from '@/lib/api/rollouts';
import type { RolloutState } from '@/lib/api/rollout-values';
import { masked } from '@/test/masked';

/** What a person does to a workload with a progressive rollout, or its controllers: `step` advances all a bit. */
export type ProgressiveAction =
  | { kind: 'deploy'; template: string }
  | { kind: 'step' }
  | { kind: 'approve' }
  | { kind: 'jump'; to: number };

export interface ProgressiveOptions {
  /** A canary has a workload of its own, and the progressive rollout no revision until its end. */
  isCanary: boolean;
  keepsNumbers: boolean;
  /** Pods of the new revision after each step. */
  steps: readonly number[];
  /** Pods carry a label with their step. */
  isLabelled: boolean;
  /**
   * The workload keeps its template as it was written; revisions have it with the defaults of the API server.
   * Absent: as revisions have it.
   */
  keepsWritten?: true;
}

interface Pod extends RolloutPod {
  template: string;
  step: number | null;
  isOfCanary: boolean;
}

interface Revision {
  template: string;
  numbers: number[];
  createdAt: string;
}

type Stage = 'idle' | 'starting' | 'inStep' | 'completing' | 'completed' | 'rollingBack' | 'rolledBack';

const T0 = Date.parse('2026-03-01T12:00:00Z');
const ACTION_MS = 10_000;

/** A workload with its controllers, advanced by actions of ten seconds each. */
export class SimulatedProgressiveRollout {
  readonly #options: ProgressiveOptions;
  #now = T0;
  #revisions: Revision[] = [];
  #pods: Pod[] = [];
  #stable = 'a';
  #template = 'a';
  #counter = 0;
  #createdCount = 0;
  #stage: Stage = 'idle';
  #index = 0;
  #isWaiting = false;
  #startedAt: string | null = null;
  #since: string | null = null;
  #completeAt: string | null = null;

  constructor(options: ProgressiveOptions) {
    this.#options = options;
    this.#record('a');
    for (let count = 0; count < this.#size; count += 1) this.#pods.push(this.#newPod('a', true));
    this.#completeAt = this.#time;
  }

  get #size(): number {
    return this.#options.steps.at(-1) ?? 1;
  }

  /** The hash of the template as the workload has it. */
  get #written(): string {
    return this.#options.keepsWritten === true ? `${this.#template}${AS_WRITTEN}` : this.#template;
  }

  get #time(): string {
    return new Date(this.#now).toISOString().replace('.000', '');
  }

  apply(action: ProgressiveAction): void {
    this.#now += ACTION_MS;
    switch (action.kind) {
      case 'deploy':
        this.#deploy(action.template);
        break;
      case 'approve':
        if (this.#isWaiting) this.#enter(this.#index + 1);
        break;
      case 'jump':
        if (this.#stage === 'inStep' && action.to !== this.#index) this.#enter(action.to);
        break;
      case 'step':
        this.#advance();
        break;
    }
    if (!this.#isComplete()) this.#completeAt = null;
    else this.#completeAt ??= this.#time;
  }

  observe(since: string, lostAt: string | null): Observation {
    const target = this.#target();
    const own = this.#pods.filter(({ isOfCanary }) => !isOfCanary);
    const progressiveRollout = this.#observeRollout();
    const pending = { number: null, id: null, hash: this.#written };
    const isInProgress =
      this.#stage === 'starting' || this.#stage === 'inStep' || this.#stage === 'completing';
    const proven = this.#proven();
    return {
      at: this.#time,
      watch: { since, lostAt },
      incarnation,
      revisions: this.#revisions
        .map((revision) => {
          const pods = own.filter(({ template }) => template === revision.template);
          return {
            ...refOf(revision),
            name: `cart-${revision.template}`,
            formerNumbers: this.#options.keepsNumbers ? revision.numbers.slice(0, -1) : [],
            usedBefore: revision.numbers.length > 1,
            changeCause: null,
            cause: null,
            images: [{ container: 'app', image: masked(revision.template) }],
            createdAt: revision.createdAt,
            pods: pods.length,
            ready: pods.filter(({ ready }) => ready).length,
          };
        })
        .reverse(),
      adopted: [],
      orphans: [],
      templateWrittenAt: null,
      workloadCause: null,
      activations:
        target === undefined && isInProgress
          ? [...proven, { revision: pending, from: null, fromNotBefore: null, fromNotAfter: this.#startedAt }]
          : proven,
      target: target !== undefined ? refOf(target) : isInProgress ? pending : null,
      progressiveRollout,
      paused: isInProgress,
      partition: null,
      state: this.#isComplete() ? 'complete' : 'rolling',
      message: masked(''),
      stateSince: null,
      completion: this.#isComplete() ? { provenAt: this.#completeAt } : null,
      strategy: 'RollingUpdate',
      countsPods: true,
      desiredPods: this.#size,
      targetPods: own.filter(({ template }) => template === target?.template),
      activePods: own.map(({ name, uid, template }) => ({ name, uid, hash: template })),
      warnings: [],
      configChanges: [],
      writes: [],
      actions: [],
    };
  }

  #observeRollout(): ObservedProgressiveRollout {
    const isNamed = this.#stage !== 'idle' && this.#stage !== 'rollingBack' && this.#stage !== 'rolledBack';
    const pods = isNamed ? this.#pods.filter(({ template }) => template === this.#template) : [];
    const isAssigned = ({ step }: Pod) => this.#options.isLabelled && step !== null;
    const updated = { hash: null, id: null, number: null, name: null, pending: true, images: [] };
    return {
      ...{ system: 'test', resource: 'rollouts.test', name: 'cart', uid: 'uid-rollout' },
      state: this.#state(),
      message: masked(''),
      since: this.#since,
      style: this.#options.isCanary ? 'canary' : 'partition',
      step: {
        index: this.#stage === 'starting' || this.#stage === 'idle' ? 0 : this.#index,
        total: this.#options.steps.length,
        state: this.#stage === 'inStep' ? (this.#isWaiting ? 'waiting' : 'upgrading') : 'done',
        next: null,
      },
      run: { id: this.#template, startedAt: this.#stage === 'starting' ? null : this.#startedAt },
      revisions: { stable: null, updated: isNamed ? updated : null },
      replicas: { desired: this.#size, updated: null, ready: null },
      routes: [],
      hash: !isNamed ? null : this.#target() === undefined ? this.#written : this.#template,
      steps: this.#options.steps.map((planned, offset) => ({
        index: offset + 1,
        state: 'planned' as const,
        does: null,
        since: null,
        replicas: { planned, requested: String(planned), updated: null, ready: null },
        traffic: { planned: null, actual: null, evidence: null },
        pause: null,
        startedAt: null,
        readyAt: null,
        waitsFor: null,
        pods: pods.filter((pod) => isAssigned(pod) && pod.step === offset + 1),
      })),
      unassignedPods: pods.filter((pod) => !isAssigned(pod)),
    };
  }

  #state(): RolloutState {
    if (this.#stage !== 'inStep') return this.#stage;
    return this.#isWaiting ? 'waiting' : 'progressing';
  }

  #deploy(template: string): void {
    if (template === this.#template) return;
    this.#template = template;
    const isRollback = template === this.#stable;
    // A progressive rollout about to end has made its template the stable one.
    this.#stage = isRollback ? 'rollingBack' : 'starting';
    this.#index = isRollback ? this.#index : 0;
    this.#isWaiting = false;
    this.#startedAt = this.#time;
    this.#since = this.#time;
    for (const pod of this.#pods) pod.step = null;
    if (!this.#options.isCanary || isRollback) this.#record(template);
  }

  #enter(index: number): void {
    this.#isWaiting = false;
    this.#since = this.#time;
    if (index <= this.#options.steps.length) {
      this.#index = index;
      return;
    }
    this.#stage = 'completing';
    if (this.#options.isCanary) this.#record(this.#template);
  }

  #advance(): void {
    switch (this.#stage) {
      case 'starting':
        this.#stage = 'inStep';
        this.#enter(1);
        return;
      case 'inStep':
        return this.#advanceStep();
      case 'completing':
      case 'rollingBack':
        return this.#advanceEnd();
      default:
        return;
    }
  }

  #advanceStep(): void {
    const own = this.#pods.filter(({ template }) => template === this.#template);
    const starting = own.find(({ ready }) => !ready);
    if (starting !== undefined) {
      this.#makeReady(starting);
      starting.step ??= this.#index;
      return;
    }
    if (own.length >= (this.#options.steps[this.#index - 1] ?? 0)) {
      this.#isWaiting = true;
      return;
    }
    if (!this.#options.isCanary) this.#dropOld();
    this.#pods.push({ ...this.#newPod(this.#template, false), isOfCanary: this.#options.isCanary });
  }

  /** One old pod is replaced by a new one; the canary goes last. */
  #advanceEnd(): void {
    const own = this.#pods.filter(({ isOfCanary }) => !isOfCanary);
    const starting = own.find(({ ready, template }) => !ready && template === this.#template);
    const updated = own.filter(({ template }) => template === this.#template);
    if (starting !== undefined) return this.#makeReady(starting);
    if (updated.length < this.#size) {
      this.#dropOld();
      this.#pods.push(this.#newPod(this.#template, false));
      return;
    }
    if (this.#pods.length > updated.length) {
      this.#pods = updated;
      return;
    }
    this.#stage = this.#stage === 'completing' ? 'completed' : 'rolledBack';
    this.#stable = this.#template;
    this.#since = this.#time;
  }

  #dropOld(): void {
    const old = this.#pods.find(({ template, isOfCanary }) => !isOfCanary && template !== this.#template);
    this.#pods = this.#pods.filter((pod) => pod !== old);
  }

  #makeReady(pod: Pod): void {
    Object.assign(pod, { ready: true, readyAt: this.#time });
  }

  #newPod(template: string, ready: boolean): Pod {
    this.#createdCount += 1;
    const uid = `pod-${this.#createdCount}`;
    const readyAt = ready ? this.#time : null;
    const facts = { ip: null, node: 'node-1', phase: 'Running', restarts: 0, blocked: null, revision: null };
    const place = { step: null, isOfCanary: false, revisionId: null };
    return { ...facts, ...place, uid, name: uid, template, ready, readyAt, createdAt: this.#time };
  }

  #proven(): Observation['activations'] {
    const entries = this.#revisions.flatMap((revision) =>
      (this.#options.keepsNumbers ? revision.numbers : revision.numbers.slice(-1)).map((number) => {
        const isFirst = number === revision.numbers[0];
        return {
          revision: { ...refOf(revision), number },
          from: isFirst ? revision.createdAt : null,
          fromNotBefore: isFirst ? null : revision.createdAt,
          fromNotAfter: null,
        };
      }),
    );
    return entries.sort((a, b) => a.revision.number - b.revision.number);
  }

  #record(template: string): void {
    const known = this.#revisions.find((revision) => revision.template === template);
    if (known !== undefined && known === this.#revisions.at(-1)) return;
    this.#counter += 1;
    const revision = known ?? { template, numbers: [], createdAt: this.#time };
    revision.numbers.push(this.#counter);
    this.#revisions = [...this.#revisions.filter((other) => other !== revision), revision];
  }

  #target(): Revision | undefined {
    const last = this.#revisions.at(-1);
    return last?.template === this.#template ? last : undefined;
  }

  #isComplete(): boolean {
    return (
      this.#pods.length === this.#size &&
      this.#pods.every(({ template, ready }) => ready && template === this.#template)
    );
  }
}
