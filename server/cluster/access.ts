import 'server-only';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { AppError } from '@/lib/errors';
import { isOutOfReach } from '@/server/cluster/api-errors';
import { type Clock, systemClock } from '@/server/cluster/clock';
import { type Transport } from '@/server/cluster/transport';
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
const CAPACITY = 20_000;
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

/**
 * What a viewer may do, as the API server says: it is asked as the viewer, never a role table of ours. Answers are kept
 * for a minute by identity, and the same question asked at once is asked once.
 * https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */
export class AccessReviews {
  readonly #transport: Pick<Transport, 'json'>;
  readonly #clock: Clock;
  readonly #entries: LRUCache<string, Entry>;
  readonly #outage: () => AppError | undefined;
  #failedAt = -Infinity;
  #failure: unknown;

  constructor({
    transport,
    clock = systemClock,
    capacity = CAPACITY,
    outage = () => undefined,
  }: AccessReviewsOptions) {
    this.#outage = outage;
    this.#transport = transport;
    this.#clock = clock;
    this.#entries = new LRUCache({ max: capacity });
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
    const key = keyOf(viewer, question);
    const entry = this.#entries.get(key) ?? { answer: undefined, pending: undefined };
    if (entry.answer !== undefined && this.#clock.now() - entry.answer.at < KEPT_MS)
      return entry.answer.value;
    // While it is known that nobody answers, what was allowed goes on without a wait for each page.
    const outage = this.#outage();
    if (outage !== undefined || this.#clock.now() - this.#failedAt < OUTAGE_PAUSE_MS) {
      return this.#lastAllow(viewer, question, entry, outage ?? this.#failure);
    }
    entry.pending ??= this.#review(viewer, question, entry);
    this.#entries.set(key, entry);
    return entry.pending;
  }

  async #review(viewer: Viewer, question: AccessQuestion, entry: Entry): Promise<AccessAnswer> {
    try {
      const value = await this.#send(viewer, question);
      entry.answer = { value, at: this.#clock.now() };
      this.#failedAt = -Infinity;
      return value;
    } catch (error) {
      if (!isOutOfReach(error)) throw error;
      this.#failedAt = this.#clock.now();
      this.#failure = error;
      return this.#lastAllow(viewer, question, entry, error);
    } finally {
      entry.pending = undefined;
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

function keyOf(viewer: Viewer, question: AccessQuestion): string {
  const { verb, group, resource, subresource = '', namespace = '', name = '' } = question;
  return JSON.stringify([viewer.id, verb, group, resource, subresource, namespace, name]);
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
