import 'server-only';
import { LRUCache } from 'lru-cache';
import { AppError } from '@/lib/errors';
import { problemOfText } from '@/server/cluster/impersonation';
import { hashOf } from '@/server/identity/hash';
import { signedOut } from '@/server/identity/identity';
import type { UnverifiedChecks } from '@/server/identity/unverified-checks';
import { BearerToken } from '@/server/shared/bearer-token';
import type { Carrier } from '@/server/shared/connections';

/** What the API server of a cluster says of a token. */
export interface VerifiedToken {
  /** The name of the cluster. */
  cluster: string;
  user: string;
}

interface VerifiedTokensOptions {
  /**
   * Sends a SelfSubjectReview as the token itself, to the named cluster or, without a name, to the only one. Throws
   * AppError: `unauthorized` where it is not accepted, `bad_request` where no name tells the cluster.
   */
  verify: (cluster: string | undefined, token: BearerToken) => Promise<VerifiedToken>;
  checks: UnverifiedChecks;
  /** Milliseconds since the epoch. */
  now: () => number;
}

interface Accepted {
  /** When the API server was last asked. */
  sinceMs: number;
  answer: Promise<VerifiedToken>;
}

/** Scripts send the token with each request; asking the API server each time would double its work. */
const ACCEPTED_MS = 60_000;
const ACCEPTED_MAX = 1_000;
/** A refusal may be over in a moment, as where the API server has not seen a new account yet. */
const REFUSED_MS = 10_000;
const REFUSED_MAX = 5_000;

/** Bearer tokens and their users. Refused ones are remembered apart, so that junk evicts no one's. */
export class VerifiedTokens {
  readonly #options: VerifiedTokensOptions;
  readonly #accepted = new LRUCache<string, Accepted>({ max: ACCEPTED_MAX });
  readonly #refusedMs = new LRUCache<string, number>({ max: REFUSED_MAX });

  constructor(options: VerifiedTokensOptions) {
    this.#options = options;
  }

  /** Whether it was accepted before. */
  knows(cluster: string | undefined, text: string): boolean {
    return this.#accepted.has(keyOf(cluster, text));
  }

  /** Throws AppError `signed_out` where the token is not accepted, and `rate_limited` where many of the client wait. */
  async verify(request: Carrier, cluster: string | undefined, text: string): Promise<VerifiedToken> {
    const { checks, now } = this.#options;
    const key = keyOf(cluster, text);
    const before = this.#accepted.get(key);
    if (before !== undefined && now() - before.sinceMs < ACCEPTED_MS) return before.answer;
    const ask = () => this.#ask(key, cluster, text);
    // One that was accepted a minute ago does not wait behind junk.
    if (before !== undefined) return this.#keep(key, ask());
    if (now() - (this.#refusedMs.get(key) ?? -Infinity) < REFUSED_MS) throw notAccepted();
    const answer = await checks.run({ request, key: `token ${key}`, isOurs: false }, ask);
    return this.#keep(key, Promise.resolve(answer));
  }

  /** For a minute, or until the API server gives no answer. */
  #keep(key: string, answer: Promise<VerifiedToken>): Promise<VerifiedToken> {
    const accepted: Accepted = { sinceMs: this.#options.now(), answer };
    this.#accepted.set(key, accepted);
    answer.catch(() => (accepted.sinceMs = -Infinity));
    return answer;
  }

  async #ask(key: string, cluster: string | undefined, text: string): Promise<VerifiedToken> {
    try {
      const found = await this.#options.verify(cluster, new BearerToken(text));
      const problem = problemOfText('user', found.user);
      if (problem !== undefined) throw signedOut(`Sign-in was refused: ${problem}.`);
      return found;
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'unauthorized')) throw error;
      this.#accepted.delete(key);
      this.#refusedMs.set(key, this.#options.now());
      throw notAccepted();
    }
  }
}

function keyOf(cluster: string | undefined, text: string): string {
  return `${cluster ?? ''} ${hashOf(text)}`;
}

function notAccepted(): AppError {
  return signedOut(
    'The cluster does not accept this token. It may have expired, or be a token of another cluster.',
  );
}
