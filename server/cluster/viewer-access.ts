import 'server-only';
import { LRUCache } from 'lru-cache';
import type { AccessQuestion, AccessReviews } from '@/server/cluster/access';
import { RightsChanges } from '@/server/cluster/rights-changes';
import type { Clock } from '@/server/shared/clock';
import { accessKeyOf, type Viewer } from '@/server/shared/viewer';

/** A right without a namespace. */
type Right = Omit<AccessQuestion, 'namespace' | 'name'>;

/** In which of many namespaces a viewer has a right, as far as it is reviewed. */
export interface NamespaceAccess {
  readonly includes: (namespace: string) => boolean;
  /** Whether they have it in the whole cluster, and so in namespaces that are created later. */
  readonly isEverywhere: boolean;
  /** How many namespaces have been reviewed, of how many; null where none is left. */
  readonly progress: { readonly done: number; readonly of: number } | null;
}

interface Answer {
  readonly allowed: boolean;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The tasks of one viewer; rights that are about to be confirmed go before those that are unknown. */
interface Queue {
  readonly urgent: (() => void)[];
  readonly rest: (() => void)[];
}

/** As many are reviewed at once, and awaited. */
const FEW_NAMESPACES = 100;
/** A page shows what is known by then. */
const WAIT_MS = 200;
/** 91 reviews a second, with what is caught up at most 100: an API server on two cores takes 600. */
const INTERVAL_MS = 11;
/** A busy process wakes up late, which must not slow down all reviews. */
const CATCH_UP_MS = 50;
const ALLOWED_FOR_MS = 60_000;
/** To review a thousand refusals each minute would use all of the reviews. */
const REFUSED_FOR_MS = 300_000;
const ANSWERS_MAX = 500_000;

/**
 * In which namespaces a viewer has a right. The whole cluster is reviewed first, which is enough for most people. For one
 * with rights in a few of thousands of namespaces, each is reviewed, at a limited rate that viewers share: lists are
 * complete after some seconds, and until then tell how far the reviews are.
 */
export class ViewerAccess {
  readonly #reviews: Pick<AccessReviews, 'can'>;
  readonly #clock: Clock;
  readonly #stop: AbortSignal;
  readonly #changes: Pick<RightsChanges, 'validityFor'>;
  // Bounded by a size, since memory for a maximum of entries would be allocated at once.
  readonly #answers = new LRUCache<string, Answer>({ maxSize: ANSWERS_MAX, sizeCalculation: () => 1 });
  readonly #pending = new Map<string, Promise<void>>();
  readonly #queues = new Map<string, Queue>();
  #nextMs = -Infinity;

  /** `stop` ends the reviews that no page waits for. */
  constructor(
    reviews: Pick<AccessReviews, 'can'>,
    clock: Clock,
    stop: AbortSignal,
    changes: Pick<RightsChanges, 'validityFor'> = new RightsChanges(clock),
  ) {
    this.#changes = changes;
    this.#reviews = reviews;
    this.#clock = clock;
    this.#stop = stop;
  }

  /** Throws AppError where the API server is unreachable and no recent answer counts. */
  async inNamespaces(
    viewer: Viewer,
    right: Right,
    namespaces: ReadonlySet<string>,
  ): Promise<NamespaceAccess> {
    if ((await this.#reviews.can(viewer, right)).allowed)
      return { includes: () => true, isEverywhere: true, progress: null };
    const all = [...namespaces];
    if (all.length <= FEW_NAMESPACES) {
      const answers = await Promise.all(
        all.map((namespace) => this.#reviews.can(viewer, { ...right, namespace })),
      );
      const allowed = new Set(all.filter((_, index) => answers[index]?.allowed));
      return { includes: (namespace) => allowed.has(namespace), isEverywhere: false, progress: null };
    }
    const prefix = keyOfRight(viewer, right);
    const keyOf = (namespace: string) => `${prefix} ${namespace}`;
    const isValid = this.#changes.validityFor(viewer);
    const awaited = all.flatMap((namespace) => {
      const key = keyOf(namespace);
      const answer = this.#answers.get(key);
      const known = answer !== undefined && isValid(answer, namespace) ? answer : undefined;
      if (known === undefined) this.#answers.delete(key);
      return this.#reviewIfDue(viewer, { ...right, namespace }, key, known);
    });
    if (awaited.length > 0) await this.#forAMoment(Promise.all(awaited));
    const known = new Map(
      all.flatMap((namespace) => {
        const answer = this.#answers.get(keyOf(namespace));
        return answer === undefined ? [] : [[namespace, answer.allowed]];
      }),
    );
    return {
      includes: (namespace) => known.get(namespace) === true,
      isEverywhere: false,
      progress: known.size === all.length ? null : { done: known.size, of: all.length },
    };
  }

  /** What a page waits for: not the confirmation of a refusal. */
  #reviewIfDue(
    viewer: Viewer,
    question: AccessQuestion,
    key: string,
    known: Answer | undefined,
  ): Promise<void>[] {
    const isDue =
      known === undefined ||
      this.#clock.now() - known.at >= (known.allowed ? ALLOWED_FOR_MS : REFUSED_FOR_MS);
    if (!isDue) return [];
    const pending = this.#pending.get(key) ?? this.#enqueue(viewer, question, key, known?.allowed === true);
    return known?.allowed === false ? [] : [pending];
  }

  #enqueue(viewer: Viewer, question: AccessQuestion, key: string, isUrgent: boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Without a page that waits, the next one reviews it again.
    promise.catch(() => undefined);
    const run = () => {
      const at = this.#clock.now();
      this.#reviews
        .can(viewer, question)
        .then(({ allowed }) => void this.#answers.set(key, { allowed, at }))
        .catch((error: unknown) => {
          this.#answers.delete(key);
          throw error;
        })
        .finally(() => this.#pending.delete(key))
        .then(resolve, reject);
    };
    this.#pending.set(key, promise);
    const queue = this.#queueOf(accessKeyOf(viewer));
    (isUrgent ? queue.urgent : queue.rest).push(run);
    return promise;
  }

  #queueOf(viewer: string): Queue {
    const known = this.#queues.get(viewer);
    if (known !== undefined) return known;
    const queue: Queue = { urgent: [], rest: [] };
    this.#queues.set(viewer, queue);
    // It ends early with the cluster alone.
    if (this.#queues.size === 1) this.#work().catch(() => undefined);
    return queue;
  }

  /** Each viewer takes one turn after the other, so that none waits for all reviews of another. */
  async #work(): Promise<void> {
    while (this.#queues.size > 0) {
      await this.#turn();
      for (const [viewer, queue] of this.#queues) {
        this.#queues.delete(viewer);
        (queue.urgent.shift() ?? queue.rest.shift())?.();
        if (queue.urgent.length + queue.rest.length > 0) this.#queues.set(viewer, queue);
        break;
      }
    }
  }

  async #turn(): Promise<void> {
    const now = this.#clock.now();
    this.#nextMs = Math.max(this.#nextMs, now - CATCH_UP_MS) + INTERVAL_MS;
    if (this.#nextMs > now) await this.#clock.sleep(this.#nextMs - now, this.#stop);
  }

  async #forAMoment(work: Promise<unknown>): Promise<void> {
    const done = new AbortController();
    const timeout = this.#clock.sleep(WAIT_MS, done.signal).catch(() => undefined);
    try {
      await Promise.race([work, timeout]);
    } finally {
      done.abort();
    }
  }
}

/** None of the parts can contain a space but the key of the viewer, which is first. */
function keyOfRight(viewer: Viewer, { verb, group, resource, subresource = '' }: Right): string {
  return `${accessKeyOf(viewer)} ${verb} ${group} ${resource} ${subresource}`;
}
