import 'server-only';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { AppError } from '@/lib/errors';
import { isUnreachable } from '@/server/cluster/api-errors';
import type { KubeRequest } from '@/server/cluster/kube-request';
import { type Clock, systemClock } from '@/server/shared/clock';
import { assertCanImpersonate } from '@/server/cluster/impersonation';
import { RightsChanges } from '@/server/cluster/rights-changes';
import type { Transport, ViewerTransport } from '@/server/cluster/transport';
import { Semaphore } from '@/server/shared/semaphore';
import { accessKeyOf, type Impersonation, type Viewer } from '@/server/shared/viewer';

/**
 * What a viewer wants to do. `group` is empty for the core group; without `namespace` it means all of them.
 */
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
  /** The authorizer's own words, where it gives any. */
  readonly reason?: string;
}

export interface KubeIdentity {
  readonly name: string;
  readonly uid: string | undefined;
  readonly groups: readonly string[];
}

export interface AccessReviewsOptions {
  /** As the process. */
  readonly transport: Pick<Transport, 'json'>;
  readonly transportFor: (viewer: Viewer) => Pick<ViewerTransport, 'json'>;
  readonly clock?: Clock;
  readonly capacity?: number;
  /** What changed in who may do what. Default: nothing is known of it. */
  readonly changes?: Pick<RightsChanges, 'validityFor'>;
  /** Why the API server is known to be unreachable, from another source; undefined while it answers. */
  readonly outage?: () => AppError | undefined;
}

const CACHE_TTL_MS = 60_000;
/** At this age an allow for the whole cluster that is still used is renewed, so that few expire at once. */
const RENEW_AFTER_MS = 30_000;
/** 20 renewals a second, for all viewers. */
const RENEW_INTERVAL_MS = 50;
/**
 * How long an allow counts while the API server is unreachable; for the process's own identity without limit.
 */
const OUTAGE_TTL_MS = 600_000;
/** After a failure, or a slow review, no page waits for the next review for this long. */
const OUTAGE_PAUSE_MS = 2_000;
/** How long a page waits for a review where an earlier allow would do, as it does while the API server is unreachable. */
const READ_TIMEOUT_MS = 250;
/** Cached answers per viewer: ten resources in a thousand namespaces. */
const CAPACITY = 10_000;
/** Viewers with cached answers. */
const VIEWERS_MAX = 1_000;
/** Pending reviews per viewer, and in total: API Priority and Fairness has to serve others too. */
const VIEWER_CONCURRENCY_MAX = 20;
const CONCURRENCY_MAX = 100;
const readVerbs = new Set(['get', 'list', 'watch']);
/** A page waits for it. */
const TIMEOUT_MS = 5_000;

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
  /** The last answer, and when it was requested. */
  answer: { value: AccessAnswer; at: number } | undefined;
  pending: Promise<AccessAnswer> | undefined;
}

/** The state of one viewer: neither failures nor many questions of one viewer affect another. */
interface ViewerReviews {
  readonly entries: LRUCache<string, Entry>;
  readonly gate: Semaphore;
  /** When a page last continued without waiting for the review. */
  slowAt: number;
  failedAt: number;
  failure: unknown;
}

/**
 * What the viewer is allowed to do. The API server decides; Shiplog has no role table of its own. It is asked with the
 * viewer's credential, or as the process about a viewer that is impersonated, so that to read takes no right to
 * impersonate. Answers are cached for a minute by identity, and concurrent identical questions share one review.
 * https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */
export class AccessReviews {
  readonly #transport: Pick<Transport, 'json'>;
  readonly #transportFor: AccessReviewsOptions['transportFor'];
  readonly #clock: Clock;
  readonly #capacity: number;
  readonly #reviewsByViewer = new LRUCache<string, ViewerReviews>({ max: VIEWERS_MAX });
  readonly #gate = new Semaphore(CONCURRENCY_MAX);
  readonly #renewals = new Map<Entry, () => Promise<unknown>>();
  readonly #outage: () => AppError | undefined;
  readonly #changes: Pick<RightsChanges, 'validityFor'>;

  constructor({
    transport,
    transportFor,
    clock = systemClock,
    capacity = CAPACITY,
    changes = new RightsChanges(clock),
    outage = () => undefined,
  }: AccessReviewsOptions) {
    this.#outage = outage;
    this.#changes = changes;
    this.#transport = transport;
    this.#transportFor = transportFor;
    this.#clock = clock;
    this.#capacity = capacity;
  }

  /**
   * Whether the viewer is allowed to. Reviews the whole cluster first, then the namespace, then the name, so
   * that a list over many namespaces costs one review for most people. Throws AppError when the API server is
   * unreachable and no recent allow is cached. A slow API server delays reading by a moment only: an earlier allow
   * counts until it has answered. To write, its answer is awaited, and it decides again about the write itself.
   */
  async can(viewer: Viewer, question: AccessQuestion): Promise<AccessAnswer> {
    if (viewer.credential.kind === 'none') return { allowed: false, reason: 'not signed in to this cluster' };
    const earlier = readVerbs.has(question.verb) ? this.#earlierAllow(viewer, question) : undefined;
    const answer = this.#answer(viewer, question);
    return earlier === undefined ? answer : this.#unlessSlow(viewer, answer, earlier);
  }

  async #answer(viewer: Viewer, question: AccessQuestion): Promise<AccessAnswer> {
    let failure: unknown;
    let last: AccessAnswer = { allowed: false };
    for (const wider of fromWidestScope(question)) {
      try {
        last = await this.#answerOnce(viewer, wider);
        if (last.allowed) return last;
      } catch (error) {
        // The allow for the namespace holds, although the wider scope can't be reviewed now.
        if (!isUnreachable(error)) throw error;
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure as Error;
    return last;
  }

  /** An allow that counts until a review is answered; undefined where there is none, or none is needed. */
  #earlierAllow(viewer: Viewer, question: AccessQuestion): AccessAnswer | undefined {
    let needsReview = false;
    let allow: AccessAnswer | undefined;
    for (const scope of fromWidestScope(question)) {
      const entry = this.#entryOf(viewer, scope);
      if (!this.#isFresh(entry)) needsReview = true;
      else if (!needsReview && entry?.answer?.value.allowed === true) return undefined;
      allow ??= this.#lastAllow(viewer, scope, entry);
    }
    return needsReview ? allow : undefined;
  }

  /** Without an answer from before a change of the rights. */
  #entryOf(viewer: Viewer, question: AccessQuestion): Entry | undefined {
    const { entries } = this.#reviewsOf(viewer);
    const entry = entries.get(keyOf(question));
    if (entry?.answer === undefined || this.#changes.validityFor(viewer)(entry.answer, question.namespace))
      return entry;
    entries.delete(keyOf(question));
    return undefined;
  }

  #isFresh(entry: Entry | undefined): boolean {
    return entry?.answer !== undefined && this.#clock.now() - entry.answer.at < CACHE_TTL_MS;
  }

  async #unlessSlow(
    viewer: Viewer,
    answer: Promise<AccessAnswer>,
    earlier: AccessAnswer,
  ): Promise<AccessAnswer> {
    const reviews = this.#reviewsOf(viewer);
    const isKnownSlow = this.#clock.now() - reviews.slowAt < OUTAGE_PAUSE_MS;
    const answered = new AbortController();
    const timeout = this.#clock.sleep(isKnownSlow ? 0 : READ_TIMEOUT_MS, answered.signal).then(() => {
      if (!isKnownSlow) reviews.slowAt = this.#clock.now();
      return earlier;
    });
    try {
      return await Promise.race([answer, timeout]);
    } finally {
      answered.abort();
    }
  }

  /**
   * The user that the API server takes the viewer for. Throws AppError; `not_found` by a server older than
   * 1.28.
   */
  async whoAmI(viewer: Viewer): Promise<KubeIdentity> {
    const answer = await this.#transportFor(viewer).json({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
      timeoutMs: TIMEOUT_MS,
    });
    const { username, uid, groups } = parse(identitySchema, answer).status.userInfo;
    return { name: username, uid, groups: groups ?? [] };
  }

  async #answerOnce(viewer: Viewer, question: AccessQuestion): Promise<AccessAnswer> {
    const reviews = this.#reviewsOf(viewer);
    const key = keyOf(question);
    const entry = this.#entryOf(viewer, question) ?? { answer: undefined, pending: undefined };
    const review = () => {
      // Two semaphores: the queue of one viewer must not fill the queue of all.
      entry.pending ??= reviews.gate
        .run(() => this.#gate.run(() => this.#review(viewer, reviews, question, entry)))
        .finally(() => (entry.pending = undefined));
      return entry.pending;
    };
    if (entry.answer !== undefined && this.#isFresh(entry)) {
      if (question.namespace === undefined && this.#isDueForRenewal(entry)) this.#renewSoon(entry, review);
      return entry.answer.value;
    }
    const failure = this.#knownFailure(reviews);
    if (failure !== undefined) return this.#lastAllowOr(failure, viewer, question, entry);
    reviews.entries.set(key, entry);
    return review();
  }

  #isDueForRenewal({ answer }: Entry): boolean {
    return answer?.value.allowed === true && this.#clock.now() - answer.at >= RENEW_AFTER_MS;
  }

  #renewSoon(entry: Entry, review: () => Promise<unknown>): void {
    if (this.#renewals.has(entry)) return;
    this.#renewals.set(entry, review);
    if (this.#renewals.size === 1) void this.#renewAll();
  }

  /** Those too that are added meanwhile. */
  async #renewAll(): Promise<void> {
    const { signal } = new AbortController();
    for (const [entry, review] of this.#renewals) {
      await this.#clock.sleep(RENEW_INTERVAL_MS, signal);
      // One that fails is reviewed again when the answer is used.
      if (this.#isDueForRenewal(entry)) review().catch(() => undefined);
      this.#renewals.delete(entry);
    }
  }

  #reviewsOf(viewer: Viewer): ViewerReviews {
    const known = this.#reviewsByViewer.get(accessKeyOf(viewer));
    if (known !== undefined) return known;
    const reviews: ViewerReviews = {
      // Bounded by a size, since memory for a maximum of entries would be allocated at once.
      entries: new LRUCache({ maxSize: this.#capacity, sizeCalculation: () => 1 }),
      gate: new Semaphore(VIEWER_CONCURRENCY_MAX),
      slowAt: -Infinity,
      failedAt: -Infinity,
      failure: undefined,
    };
    this.#reviewsByViewer.set(accessKeyOf(viewer), reviews);
    return reviews;
  }

  /** While this viewer is known to get no answer, earlier allows count without a wait on each page. */
  #knownFailure({ failedAt, failure }: ViewerReviews): unknown {
    return this.#outage() ?? (this.#clock.now() - failedAt < OUTAGE_PAUSE_MS ? failure : undefined);
  }

  async #review(
    viewer: Viewer,
    reviews: ViewerReviews,
    question: AccessQuestion,
    entry: Entry,
  ): Promise<AccessAnswer> {
    // The queued reviews need not fail one by one.
    const known = this.#knownFailure(reviews);
    if (known !== undefined) return this.#lastAllowOr(known, viewer, question, entry);
    try {
      const at = this.#clock.now();
      const value = await this.#send(viewer, question);
      entry.answer = { value, at };
      reviews.failedAt = -Infinity;
      return value;
    } catch (error) {
      if (!isUnreachable(error)) {
        // However slow the API server is, nothing counts for one whom it no longer knows.
        entry.answer = undefined;
        throw error;
      }
      reviews.failedAt = this.#clock.now();
      reviews.failure = error;
      return this.#lastAllowOr(error, viewer, question, entry);
    }
  }

  #lastAllowOr(failure: unknown, viewer: Viewer, question: AccessQuestion, entry: Entry): AccessAnswer {
    const allow = this.#lastAllow(viewer, question, entry);
    if (allow === undefined) throw failure;
    return allow;
  }

  /** What counts while no review is possible. */
  #lastAllow(
    viewer: Viewer,
    { verb, subresource }: AccessQuestion,
    entry: Entry | undefined,
  ): AccessAnswer | undefined {
    const answer = entry?.answer;
    // The process listed everything in the cache with its own rights, so it is allowed to read it, reviewed
    // or not.
    const isOwnCache = viewer.isProcess && readVerbs.has(verb) && subresource === undefined;
    if (isOwnCache && answer === undefined) return { allowed: true };
    const counts =
      answer?.value.allowed === true && (viewer.isProcess || this.#clock.now() - answer.at < OUTAGE_TTL_MS);
    return counts ? answer.value : undefined;
  }

  async #send(viewer: Viewer, question: AccessQuestion): Promise<AccessAnswer> {
    const { credential } = viewer;
    const answer =
      credential.kind === 'impersonate'
        ? await this.#transport.json(reviewOf('SubjectAccessReview', question, subjectOf(credential)))
        : await this.#transportFor(viewer).json(reviewOf('SelfSubjectAccessReview', question));
    const { allowed, reason, evaluationError } = parse(reviewSchema, answer).status;
    const message = [reason, evaluationError].filter((part) => part !== undefined && part !== '').join('; ');
    return message === '' ? { allowed } : { allowed, reason: message };
  }
}

/** https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/subject-access-review-v1/ */
function reviewOf(
  kind: 'SelfSubjectAccessReview' | 'SubjectAccessReview',
  question: AccessQuestion,
  subject: object = {},
): KubeRequest {
  return {
    method: 'POST',
    path: `/apis/authorization.k8s.io/v1/${kind.toLowerCase()}s`,
    body: JSON.stringify({
      apiVersion: 'authorization.k8s.io/v1',
      kind,
      spec: { ...subject, resourceAttributes: question },
    }),
    timeoutMs: TIMEOUT_MS,
  };
}

/**
 * The subject that an impersonated request has: the API server adds the group of all authenticated users to it, but not
 * to the subject of a review.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
 */
function subjectOf(credential: Impersonation) {
  assertCanImpersonate(credential);
  const { user, groups = [], uid, extra } = credential;
  return { user, groups: [...groups, 'system:authenticated'], uid, extra };
}

/** The same question for the whole cluster, its namespace and its name. */
function fromWidestScope(question: AccessQuestion): AccessQuestion[] {
  const { namespace, name, ...everywhere } = question;
  return [
    everywhere,
    ...(namespace === undefined ? [] : [{ ...everywhere, namespace }]),
    ...(name === undefined ? [] : [question]),
  ];
}

/** None of the parts can contain a space. */
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
    'The API server answered an access review with another object.',
    {},
    parsed.error,
  );
}
