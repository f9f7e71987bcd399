import 'server-only';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { AppError } from '@/lib/errors';
import { isOutOfReach } from '@/server/cluster/api-errors';
import { type Clock, systemClock } from '@/server/cluster/clock';
import { type Transport } from '@/server/cluster/transport';
import { Gate } from '@/server/gate';
import { type Viewer } from '@/server/viewer';

/** What somebody wants to do. `group` is empty for the core group; no `namespace` means in all of them. */
export interface AccessQuestion {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export interface AccessAnswer {
  readonly allowed: boolean;
  /** The authoriser's own words, where it gives any. */
  readonly reason?: string;
}

export interface Identity {
  readonly name: string;
  readonly uid: string | undefined;
  readonly groups: readonly string[];
}

export interface AccessReviewsOptions {
  readonly transport: Pick<Transport, 'json'>;
  readonly clock?: Clock;
  readonly capacity?: number;
  /** What is known by other means of nobody answering; undefined while somebody does. */
  readonly outage?: () => AppError | undefined;
}

const KEPT_MS = 60_000;
/** For so long an allow counts while nobody can be asked; for the process's own identity without end. */
const OUTAGE_KEPT_MS = 600_000;
/** After a failure nobody waits for the next one for this long. */
const OUTAGE_PAUSE_MS = 2_000;
/** Answers kept for one viewer: ten resources in a thousand namespaces. */
const CAPACITY = 10_000;
/** Viewers of whom answers are kept. */
const VIEWERS_MAX = 100;
/** Reviews on their way for one viewer, and for all: API Priority and Fairness has to serve others too. */
const VIEWER_AT_ONCE = 20;
const ALL_AT_ONCE = 100;
const readVerbs = new Set(['get', 'list', 'watch']);
/** A page waits for it. */
const TIMEOUT_MS = 5_000;

const reviewPath = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const reviewSchema = z.object({
  status: z.object({
    allowed: z.boolean(),
    reason: z.string().optional(),
    evaluationError: z.string().optional(),
  }),
});
const identitySchema = z.object({
  status: z.object({
    userInfo: z.object({
      username: z.string(),
      uid: z.string().optional(),
      groups: z.array(z.string()).nullish(),
    }),
  }),
});

interface Entry {
  /** The last answer, and when it came. */
  answer: { value: AccessAnswer; at: number } | undefined;
  pending: Promise<AccessAnswer> | undefined;
}

/** What is kept of one viewer. Neither failures nor many questions of one are felt by another. */
interface Asker {
  readonly entries: LRUCache<string, Entry>;
  readonly gate: Gate;
  failedAt: number;
  failure: unknown;
}

/**
 * What a viewer may do, as the API server says: it is asked as the viewer, never a role table of ours. Answers are kept
 * for a minute by identity, and the same question asked at once is asked once.
 * https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */
export class AccessReviews {
  readonly #transport: Pick<Transport, 'json'>;
  readonly #clock: Clock;
  readonly #capacity: number;
  readonly #askers = new LRUCache<string, Asker>({ max: VIEWERS_MAX });
  readonly #gate = new Gate(ALL_AT_ONCE);
  readonly #outage: () => AppError | undefined;

  constructor({
    transport,
    clock = systemClock,
    capacity = CAPACITY,
    outage = () => undefined,
  }: AccessReviewsOptions) {
    this.#outage = outage;
    this.#transport = transport;
    this.#clock = clock;
    this.#capacity = capacity;
  }

  /**
   * Whether the viewer may. Asked for the whole cluster first, then for the namespace, then for the name, so that a
   * list over many namespaces costs one review for most people. Throws AppError when nobody can be asked and no recent
   * allow is known.
   */
  async can(viewer: Viewer, question: AccessQuestion): Promise<AccessAnswer> {
    let failure: unknown;
    let last: AccessAnswer = { allowed: false };
    for (const wider of fromWidest(question)) {
      try {
        last = await this.#ask(viewer, wider);
        if (last.allowed) return last;
      } catch (error) {
        // What was allowed in the namespace holds, though nobody can say any more what is not allowed beyond it.
        if (!isOutOfReach(error)) throw error;
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure as Error;
    return last;
  }

  /** Whom the API server takes the viewer for. Throws AppError; `not_found` by a server older than 1.28. */
  async whoAmI(viewer: Viewer): Promise<Identity> {
    const answer = await this.#transport.json({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
      ...(viewer.impersonate === undefined ? {} : { impersonate: viewer.impersonate }),
      timeoutMs: TIMEOUT_MS,
    });
    const { username, uid, groups } = parse(identitySchema, answer).status.userInfo;
    return { name: username, uid, groups: groups ?? [] };
  }

  async #ask(viewer: Viewer, question: AccessQuestion): Promise<AccessAnswer> {
    const asker = this.#askerOf(viewer);
    const key = keyOf(question);
    const entry = asker.entries.get(key) ?? { answer: undefined, pending: undefined };
    if (entry.answer !== undefined && this.#clock.now() - entry.answer.at < KEPT_MS)
      return entry.answer.value;
    const failure = this.#known(asker);
    if (failure !== undefined) return this.#lastAllow(viewer, question, entry, failure);
    // Two gates: one viewer's line must not fill that of all.
    entry.pending ??= asker.gate
      .run(() => this.#gate.run(() => this.#review(viewer, asker, question, entry)))
      .finally(() => (entry.pending = undefined));
    asker.entries.set(key, entry);
    return entry.pending;
  }

  #askerOf(viewer: Viewer): Asker {
    const known = this.#askers.get(viewer.id);
    if (known !== undefined) return known;
    const asker: Asker = {
      entries: new LRUCache({ max: this.#capacity }),
      gate: new Gate(VIEWER_AT_ONCE),
      failedAt: -Infinity,
      failure: undefined,
    };
    this.#askers.set(viewer.id, asker);
    return asker;
  }

  /** While it is known that this viewer gets no answer, what was allowed goes on without a wait for each page. */
  #known({ failedAt, failure }: Asker): unknown {
    return this.#outage() ?? (this.#clock.now() - failedAt < OUTAGE_PAUSE_MS ? failure : undefined);
  }

  async #review(viewer: Viewer, asker: Asker, question: AccessQuestion, entry: Entry): Promise<AccessAnswer> {
    // Those that stood in line need not find out one by one.
    const known = this.#known(asker);
    if (known !== undefined) return this.#lastAllow(viewer, question, entry, known);
    try {
      const value = await this.#send(viewer, question);
      entry.answer = { value, at: this.#clock.now() };
      asker.failedAt = -Infinity;
      return value;
    } catch (error) {
      if (!isOutOfReach(error)) throw error;
      asker.failedAt = this.#clock.now();
      asker.failure = error;
      return this.#lastAllow(viewer, question, entry, error);
    }
  }

  #lastAllow(
    viewer: Viewer,
    { verb, subresource }: AccessQuestion,
    { answer }: Entry,
    error: unknown,
  ): AccessAnswer {
    // Whatever is in the cache was listed with the process's own rights, so it may see it, asked before or not.
    const isOwnCache = viewer.isProcess && readVerbs.has(verb) && subresource === undefined;
    if (isOwnCache && answer === undefined) return { allowed: true };
    const counts =
      answer?.value.allowed === true && (viewer.isProcess || this.#clock.now() - answer.at < OUTAGE_KEPT_MS);
    if (counts) return answer.value;
    throw error;
  }

  async #send(viewer: Viewer, question: AccessQuestion): Promise<AccessAnswer> {
    const body = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: question },
    };
    const answer = await this.#transport.json({
      method: 'POST',
      path: reviewPath,
      body: JSON.stringify(body),
      ...(viewer.impersonate === undefined ? {} : { impersonate: viewer.impersonate }),
      timeoutMs: TIMEOUT_MS,
    });
    const { allowed, reason, evaluationError } = parse(reviewSchema, answer).status;
    const words = [reason, evaluationError].filter((part) => part !== undefined && part !== '').join('; ');
    return words === '' ? { allowed } : { allowed, reason: words };
  }
}

/** The question for the whole cluster, for its namespace, and for its name. */
function fromWidest(question: AccessQuestion): AccessQuestion[] {
  const { namespace, name, ...everywhere } = question;
  return [
    everywhere,
    ...(namespace === undefined ? [] : [{ ...everywhere, namespace }]),
    ...(name === undefined ? [] : [question]),
  ];
}

/** No part of it can hold a space. */
function keyOf({
  verb,
  group,
  resource,
  subresource = '',
  namespace = '',
  name = '',
}: AccessQuestion): string {
  return `${verb} ${group} ${resource} ${subresource} ${namespace} ${name}`;
}

function parse<T>(schema: z.ZodType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new AppError(
    'cluster_error',
    'The API server answered an access review with something else.',
    {},
    parsed.error,
  );
}
