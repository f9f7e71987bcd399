import type { RecordingTools, Observation, ObservedPod } from '@/lib/records/observation';
import { masked } from '@/test/masked';

/** What a person does, or the controller: `step` advances the rollout by one pod. */
export type SimulatedAction =
  | { kind: 'deploy'; template: string }
  | { kind: 'step' }
  | { kind: 'pause' }
  | { kind: 'resume' }
  | { kind: 'partition'; to: number }
  | { kind: 'scale'; to: number };

export interface SimulationOptions {
  /** ReplicaSets keep their former numbers, ControllerRevisions do not. */
  keepsNumbers: boolean;
  historyLimit: number;
  pods: number;
}

interface Pod extends ObservedPod {
  readyAt: string | null;
  template: string;
}

interface Revision {
  template: string;
  numbers: number[];
  createdAt: string;
  numberedAt: string;
}

const T0 = Date.parse('2026-03-01T12:00:00Z');
const SECOND = 1_000;
const ACTION_MS = 10 * SECOND;

export const incarnation: Observation['incarnation'] = {
  cluster: 'cluster',
  resource: 'deployments.apps',
  kind: 'Deployment',
  namespace: 'shop',
  name: 'cart',
  uid: 'uid-cart',
  createdAt: time(T0),
  deletedAt: null,
  labels: masked({}),
};

/**
 * Suffix of the hash of a template as a custom resource keeps it, of which the revision has a copy with
 * defaults.
 */
export const AS_WRITTEN = ' as written';

export const tools: RecordingTools = {
  recordId: ({ uid }, activation) => `${uid}-${activation}`,
  summary: (from, to) => masked(`${from?.hash ?? 'nothing'} → ${to.hash}`),
  isRestart: () => false,
  imagesOf: ({ hash }) => [{ container: 'app', image: masked(hash) }],
  meaning: ({ hash }) => `1:${hash.replace(AS_WRITTEN, '')}`,
};

/** A workload and its controller, advanced by actions of ten seconds each. */
export class SimulatedWorkload {
  readonly #options: SimulationOptions;
  #now = T0;
  #revisions: Revision[] = [];
  #pods: Pod[] = [];
  #template = '';
  #paused = false;
  #partition = 0;
  #desired: number;
  #counter = 0;
  #completeAt: string | null = null;

  constructor(options: SimulationOptions, template = 'a') {
    this.#options = options;
    this.#desired = options.pods;
    this.apply({ kind: 'deploy', template });
  }

  get now(): string {
    return time(this.#now);
  }

  apply(action: SimulatedAction): void {
    this.#now += ACTION_MS;
    switch (action.kind) {
      case 'deploy':
        if (action.template !== this.#template) this.#completeAt = null;
        this.#template = action.template;
        break;
      case 'pause':
        this.#paused = true;
        break;
      case 'resume':
        this.#paused = false;
        break;
      case 'partition':
        this.#partition = action.to;
        break;
      case 'scale':
        this.#desired = action.to;
        this.#pods = this.#pods.slice(0, action.to);
        break;
      case 'step':
        if (!this.#paused) this.#advance();
        break;
    }
    this.#record();
    // A Deployment stays reported as complete however it is scaled.
    if (this.#isComplete()) this.#completeAt ??= this.now;
  }

  /** As the cache would return it, in a watch since `since`. */
  observe(since: string, lostAt: string | null = null): Observation {
    const target = this.#target();
    const isComplete = this.#isComplete();
    const isDegraded = !this.#paused && !isComplete && this.#completeAt !== null;
    return {
      at: this.now,
      watch: { since, lostAt },
      incarnation,
      revisions: this.#revisions
        .map((revision) => {
          const pods = this.#pods.filter(({ template }) => template === revision.template);
          return {
            ...refOf(revision),
            name: `cart-${revision.template}`,
            formerNumbers: this.#options.keepsNumbers ? revision.numbers.slice(0, -1) : [],
            usedBefore: revision.numbers.length > 1,
            changeCause: masked(`because of ${revision.template}`),
            cause: masked(`because of ${revision.template}`),
            images: [{ container: 'app', image: masked(revision.template) }],
            createdAt: revision.createdAt,
            pods: pods.length,
            ready: pods.filter(({ readyAt }) => readyAt !== null).length,
          };
        })
        .reverse(),
      adopted: [],
      orphans: [],
      templateWrittenAt: null,
      workloadCause: null,
      activations: this.#proven(),
      target: target === undefined ? null : refOf(target),
      paused: this.#paused,
      partition: this.#partition,
      state: this.#paused
        ? 'paused'
        : isComplete
          ? 'complete'
          : isDegraded
            ? 'degraded'
            : this.#isIdle() && this.#isPartitionReached()
              ? 'held'
              : 'rolling',
      message: masked(''),
      stateSince: null,
      completion: isComplete || isDegraded ? { provenAt: this.#completeAt } : null,
      strategy: 'RollingUpdate',
      desiredPods: this.#desired,
      countsPods: true,
      progressiveRollout: null,
      targetPods: this.#pods.filter(({ template }) => template === target?.template),
      activePods: this.#pods.map(({ name, uid, template }) => ({ name, uid, hash: template })),
      warnings: [],
      configChanges: [],
      writes: [],
      actions: [],
    };
  }

  #proven(): Observation['activations'] {
    const entries = this.#revisions.flatMap((revision) =>
      (this.#options.keepsNumbers ? revision.numbers : revision.numbers.slice(-1)).map((number) => {
        const isFirst = number === revision.numbers[0];
        return {
          revision: { ...refOf(revision), number },
          from: isFirst ? revision.createdAt : null,
          fromNotBefore: isFirst ? null : revision.createdAt,
          fromNotAfter: !isFirst && number === revision.numbers.at(-1) ? revision.numberedAt : null,
        };
      }),
    );
    return entries.sort((a, b) => a.revision.number - b.revision.number);
  }

  /** A controller records the template unless it is new and the workload is paused. */
  #record(): void {
    const known = this.#revisions.find(({ template }) => template === this.#template);
    if (known === undefined && this.#paused) return;
    if (known !== undefined && known === this.#revisions.at(-1)) return;
    this.#counter += 1;
    const revision = known ?? {
      template: this.#template,
      numbers: [],
      createdAt: this.now,
      numberedAt: this.now,
    };
    revision.numbers.push(this.#counter);
    revision.numberedAt = this.now;
    this.#revisions = [...this.#revisions.filter((other) => other !== revision), revision];
  }

  #target(): Revision | undefined {
    return this.#revisions.find(({ template }) => template === this.#template);
  }

  #isIdle(): boolean {
    return this.#pods.every(({ readyAt }) => readyAt !== null);
  }

  #isPartitionReached(): boolean {
    return this.#pods.filter(({ template }) => template !== this.#template).length <= this.#partition;
  }

  #isComplete(): boolean {
    const updated = this.#pods.filter(
      ({ template, readyAt }) => template === this.#template && readyAt !== null,
    );
    return updated.length === this.#desired && this.#pods.length === updated.length;
  }

  /** A starting pod becomes ready; else a pod of an older template is replaced by one of the target. */
  #advance(): void {
    const starting = this.#pods.find(({ readyAt }) => readyAt === null);
    if (starting?.template === this.#template) {
      starting.readyAt = this.now;
      if (this.#isComplete()) this.#prune();
      return;
    }
    const old = this.#pods.find((pod) => pod === starting || pod.template !== this.#template);
    if (old === undefined && this.#pods.length >= this.#desired) return;
    if (old !== undefined && old !== starting && this.#isPartitionReached()) return;
    this.#pods = this.#pods.filter((pod) => pod !== old);
    const uid = `pod-${this.#now}`;
    this.#pods.push({
      template: this.#template,
      name: uid,
      uid,
      ip: null,
      node: 'node-1',
      readyAt: null,
      restarts: 0,
      createdAt: this.now,
    });
  }

  #prune(): void {
    const old = this.#revisions.slice(0, -1);
    this.#revisions = [
      ...old.slice(Math.max(0, old.length - this.#options.historyLimit)),
      ...this.#revisions.slice(-1),
    ];
  }
}

export function refOf({ template, numbers, createdAt }: Omit<Revision, 'numberedAt'>) {
  return { number: numbers.at(-1) ?? 0, id: `id-${template}-${createdAt}`, hash: template };
}

function time(at: number): string {
  return new Date(at).toISOString().replace('.000', '');
}
