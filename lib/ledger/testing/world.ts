import { type LedgerTools, type Observation, type ObservedPod } from '@/lib/ledger/observation';
import { type WorkloadLife } from '@/lib/ledger/record';

/** What somebody does, or the controller: `step` brings the rollout forward by one pod. */
export type Deed =
  | { kind: 'deploy'; template: string }
  | { kind: 'step' }
  | { kind: 'pause' }
  | { kind: 'resume' }
  | { kind: 'partition'; to: number };

export interface Rules {
  /** ReplicaSets keep their former numbers, ControllerRevisions do not. */
  keepsNumbers: boolean;
  historyLimit: number;
  pods: number;
}

interface Pod extends ObservedPod {
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
const DEED_MS = 10 * SECOND;

export const life: WorkloadLife = {
  cluster: 'cluster',
  resource: 'deployments.apps',
  kind: 'Deployment',
  namespace: 'shop',
  name: 'cart',
  uid: 'uid-cart',
  createdAt: time(T0),
  deletedAt: null,
  labels: {},
};

/** Ends the hash of a template as a custom resource keeps it, of which the revision has a completed copy. */
export const AS_WRITTEN = ' as written';

export const tools: LedgerTools = {
  recordId: ({ uid }, activation) => `${uid}-${activation}`,
  summary: (from, to) => `${from?.hash ?? 'nothing'} → ${to.hash}`,
  isRestart: () => false,
  imagesOf: ({ hash }) => [{ container: 'app', image: hash }],
  meaning: ({ hash }) => `1:${hash.replace(AS_WRITTEN, '')}`,
};

/** A workload and its controller, moved by deeds of ten seconds each. */
export class World {
  readonly #rules: Rules;
  #now = T0;
  #revisions: Revision[] = [];
  #pods: Pod[] = [];
  #template = '';
  #paused = false;
  #partition = 0;
  #counter = 0;
  #completeAt: string | null = null;

  constructor(rules: Rules, template = 'a') {
    this.#rules = rules;
    this.do({ kind: 'deploy', template });
  }

  get now(): string {
    return time(this.#now);
  }

  do(deed: Deed): void {
    this.#now += DEED_MS;
    switch (deed.kind) {
      case 'deploy':
        this.#template = deed.template;
        break;
      case 'pause':
        this.#paused = true;
        break;
      case 'resume':
        this.#paused = false;
        break;
      case 'partition':
        this.#partition = deed.to;
        break;
      case 'step':
        if (!this.#paused) this.#move();
        break;
    }
    this.#record();
    if (!this.#isComplete()) this.#completeAt = null;
    else this.#completeAt ??= this.now;
  }

  /** As the cache would say it, in a watch since `since`. */
  look(since: string, lost: string | null = null): Observation {
    const target = this.#target();
    const isComplete = this.#isComplete();
    return {
      at: this.now,
      watch: { since, lost },
      life,
      revisions: this.#revisions
        .map((revision) => {
          const pods = this.#pods.filter(({ template }) => template === revision.template);
          return {
            ...refOf(revision),
            name: `cart-${revision.template}`,
            formerNumbers: this.#rules.keepsNumbers ? revision.numbers.slice(0, -1) : [],
            usedBefore: revision.numbers.length > 1,
            changeCause: `because of ${revision.template}`,
            cause: `because of ${revision.template}`,
            images: [{ container: 'app', image: revision.template }],
            createdAt: revision.createdAt,
            pods: pods.length,
            ready: pods.filter(({ readyAt }) => readyAt !== null).length,
          };
        })
        .reverse(),
      borneCause: { raw: null, text: null },
      activations: this.#proven(),
      target: target === undefined ? null : refOf(target),
      paused: this.#paused,
      partition: this.#partition,
      state: this.#paused
        ? 'paused'
        : isComplete
          ? 'complete'
          : this.#rests() && this.#isHeld()
            ? 'held'
            : 'rolling',
      message: '',
      stateSince: null,
      completion: isComplete ? { provenAt: this.#completeAt } : null,
      strategy: 'RollingUpdate',
      desiredPods: this.#rules.pods,
      release: null,
      targetPods: this.#pods.filter(({ template }) => template === target?.template),
      activePods: this.#pods.map(({ name, uid, template }) => ({ name, uid, hash: template })),
      warnings: [],
      related: [],
      writes: [],
      actions: [],
    };
  }

  #proven(): Observation['activations'] {
    const entries = this.#revisions.flatMap((revision) =>
      (this.#rules.keepsNumbers ? revision.numbers : revision.numbers.slice(-1)).map((number) => {
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

  #rests(): boolean {
    return this.#pods.every(({ readyAt }) => readyAt !== null);
  }

  #isHeld(): boolean {
    return this.#pods.filter(({ template }) => template !== this.#template).length <= this.#partition;
  }

  #isComplete(): boolean {
    const mine = this.#pods.filter(
      ({ template, readyAt }) => template === this.#template && readyAt !== null,
    );
    return mine.length === this.#rules.pods && this.#pods.length === mine.length;
  }

  /** A pod that starts becomes ready; else one of an older template makes room for one of the target. */
  #move(): void {
    const starting = this.#pods.find(({ readyAt }) => readyAt === null);
    if (starting?.template === this.#template) {
      starting.readyAt = this.now;
      if (this.#isComplete()) this.#prune();
      return;
    }
    const old = this.#pods.find((pod) => pod === starting || pod.template !== this.#template);
    if (old === undefined && this.#pods.length >= this.#rules.pods) return;
    if (old !== undefined && old !== starting && this.#isHeld()) return;
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
      ...old.slice(Math.max(0, old.length - this.#rules.historyLimit)),
      ...this.#revisions.slice(-1),
    ];
  }
}

function refOf({ template, numbers, createdAt }: Revision) {
  return { number: numbers.at(-1) ?? 0, id: `id-${template}-${createdAt}`, hash: template };
}

function time(at: number): string {
  return new Date(at).toISOString().replace('.000', '');
}
