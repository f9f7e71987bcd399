import 'server-only';
import { AppError } from '@/lib/errors';
import { RefusedClients } from '@/server/identity/refused-clients';
import type { AddressRanges } from '@/server/shared/address-ranges';
import { clientNetworkOf } from '@/server/shared/client-address';
import type { Clock } from '@/server/shared/clock';
import type { Carrier } from '@/server/shared/connections';

interface UnverifiedChecksOptions {
  clock: Clock;
  /** The proxies that are believed about whom they forward for. */
  trusted: AddressRanges;
}

/** A credential of which this process does not know yet whether it is good. */
interface Unverified {
  request: Carrier;
  /** The same for requests with the same credential: they share one check. */
  key: string;
  /** Whether a keyed checksum proves that Shiplog made it: it may have ended, and is no guess. */
  isOurs: boolean;
}

type Result = 'accepted' | 'refused' | 'failed';

/** How the checks ended since the start of the process; `limited` were answered without one. */
type CheckCounts = Readonly<Record<Result | 'limited', number>>;

/** The checks of one client that have not begun, in order of arrival. */
interface Line {
  readonly client: string;
  readonly waiting: Waiting[];
}

interface Waiting {
  begin: () => void;
  giveUp: (reason: AppError) => void;
}

/** An API server or archive that takes 50 ms then does 400 checks a second. */
const CHECKS_MAX = 20;
/** Half of the connections that the server takes. */
const WAITING_MAX = 5_000;

/**
 * Where every credential waits whose check takes the time of others: of an API server, an identity provider, or the
 * archive. Clients take turns; those without a refusal in the last minute go first and have no rate, so that neither junk
 * from elsewhere nor many people behind one address keep anyone out. A credential that is known to be good never comes
 * here, and one that computation alone refuses does not either.
 */
export class UnverifiedChecks {
  readonly #trusted: AddressRanges;
  readonly #refused: RefusedClients;
  readonly #lines = new Map<string, Line>();
  /** Lines in the order of their turns. */
  readonly #turns = { unrefused: new Set<Line>(), refused: new Set<Line>() };
  readonly #shared = new Map<string, Promise<unknown>>();
  readonly #counts: Record<Result, number> = { accepted: 0, refused: 0, failed: 0 };
  #running = 0;
  #waiting = 0;

  constructor({ clock, trusted }: UnverifiedChecksOptions) {
    this.#trusted = trusted;
    this.#refused = new RefusedClients(clock);
  }

  get counts(): CheckCounts {
    return { ...this.#counts, limited: this.#refused.limited };
  }

  get waiting(): number {
    return this.#waiting + this.#refused.waiting;
  }

  /**
   * Whether a request with a credential that is not known has to be admitted before anything is done for it: others of
   * its client were refused.
   */
  isRefused(request: Carrier): boolean {
    return this.#refused.has(clientNetworkOf(request, this.#trusted));
  }

  /** Waits until such a request may go on. Throws AppError `rate_limited` where too many of its client wait. */
  admit(request: Carrier, signal: AbortSignal): Promise<void> {
    return this.#refused.hold(clientNetworkOf(request, this.#trusted), signal);
  }

  /**
   * The result of `check`, which refuses with undefined or AppError `signed_out`. Throws AppError `rate_limited` where
   * the client was refused meanwhile.
   */
  run<Found>(unverified: Unverified, check: () => Promise<Found>): Promise<Found> {
    const { key } = unverified;
    const running = this.#shared.get(key);
    if (running !== undefined) return running as Promise<Found>;
    const result = this.#run(unverified, check).finally(() => this.#shared.delete(key));
    this.#shared.set(key, result);
    return result;
  }

  async #run<Found>({ request, isOurs }: Unverified, check: () => Promise<Found>): Promise<Found> {
    const network = clientNetworkOf(request, this.#trusted);
    // Shiplog's own cookies cannot be made up: those of an office stay good when one of its scripts sends junk.
    const client = isOurs ? `session from ${network}` : network;
    await this.#turn(client);
    try {
      const result = await check();
      this.#note(client, isOurs, result === undefined ? 'refused' : 'accepted');
      return result;
    } catch (error) {
      this.#note(client, isOurs, isRefusal(error) ? 'refused' : 'failed');
      throw error;
    } finally {
      this.#running -= 1;
      this.#beginNext();
    }
  }

  #turn(client: string): Promise<void> {
    return new Promise((begin, giveUp) => {
      const line = this.#lines.get(client) ?? { client, waiting: [] };
      this.#lines.set(client, line);
      line.waiting.push({ begin, giveUp });
      this.#waiting += 1;
      this.#place(line);
      this.#beginNext();
      if (this.#waiting > WAITING_MAX) this.#giveUpLast(this.#longest(line));
    });
  }

  #place(line: Line): void {
    if (line.waiting.length === 0) this.#lines.delete(line.client);
    else if (this.#refused.has(line.client)) this.#turns.refused.add(line);
    else this.#turns.unrefused.add(line);
  }

  #beginNext(): void {
    while (this.#running < CHECKS_MAX) {
      const [line] = this.#turns.unrefused.size > 0 ? this.#turns.unrefused : this.#turns.refused;
      if (line === undefined) return;
      this.#leaveTurns(line);
      const next = line.waiting.shift();
      this.#place(line);
      if (next === undefined) continue;
      this.#running += 1;
      this.#waiting -= 1;
      next.begin();
    }
  }

  #note(client: string, isOurs: boolean, result: Result): void {
    this.#counts[result] += 1;
    if (result !== 'refused' || isOurs) return;
    const isFirst = !this.#refused.has(client);
    this.#refused.add(client);
    // What came before the first refusal was not admitted at the rate of a refused client.
    const line = isFirst ? this.#lines.get(client) : undefined;
    while (line !== undefined && line.waiting.length > 0) this.#giveUpLast(line);
  }

  /** The line that costs the others most. */
  #longest(first: Line): Line {
    let longest = first;
    for (const line of this.#lines.values()) if (line.waiting.length > longest.waiting.length) longest = line;
    return longest;
  }

  #giveUpLast(line: Line): void {
    const last = line.waiting.pop();
    if (last === undefined) return;
    this.#waiting -= 1;
    last.giveUp(this.#refused.limit());
    if (line.waiting.length > 0) return;
    this.#leaveTurns(line);
    this.#place(line);
  }

  #leaveTurns(line: Line): void {
    this.#turns.unrefused.delete(line);
    this.#turns.refused.delete(line);
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.code === 'signed_out';
}
