import { Agent, request } from 'undici';
import type { JsonObject } from '@/lib/kube/json';
import type { ControlCommand } from '@/sandbox/api/control';
import type { Fault, FaultScope } from '@/sandbox/api/faults';

/** The control endpoint of a sandbox, and its credentials. */
interface ControlAddress {
  readonly controlUrl: string;
  readonly controlToken: string;
  /** PEM. */
  readonly ca: string;
}

interface ControlState {
  readonly changesToCome: number;
  /** Newest token by user. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly faults: readonly { id: number; hits: number }[];
}

/** An active fault. */
interface FaultHandle {
  /** How often it has happened. */
  hits(): Promise<number>;
  end(): Promise<void>;
}

interface FaultTimes {
  /** Maximum number of times; absent: until it is ended. */
  readonly times?: number;
}

const WATCH = { verbs: ['watch'] };

/**
 * Injects faults into a sandbox over its control endpoint, for one user only, so that controllers and tests are
 * unaffected.
 */
export class SandboxFaults {
  readonly #address: ControlAddress;
  readonly #user: string;
  readonly #agent: Agent;

  constructor(address: ControlAddress, user: string) {
    this.#address = address;
    this.#user = user;
    this.#agent = new Agent({ allowH2: false, connect: { ca: address.ca } });
  }

  /** Ends every open watch: properly, or by breaking its connection. */
  async cutWatches(how: 'end' | 'reset' = 'end', scope: FaultScope = {}): Promise<void> {
    await this.send({ do: 'cutWatches', how, scope: this.#scope(scope) });
  }

  /** No new watch opens; open ones continue. */
  refuseWatches(code = 503, scope: FaultScope = {}): Promise<FaultHandle> {
    return this.add({ kind: 'status', code }, { ...scope, ...WATCH });
  }

  /** Answers every request with a status. */
  fail(code: number, scope: FaultScope = {}, times?: FaultTimes): Promise<FaultHandle> {
    return this.add({ kind: 'status', code }, scope, times);
  }

  /** 429, with the time to wait. */
  askToWait(retryAfterSeconds: number, scope: FaultScope = {}, times?: FaultTimes): Promise<FaultHandle> {
    return this.add({ kind: 'status', code: 429, retryAfterSeconds }, scope, times);
  }

  /** 410 to every request that continues from an earlier version. */
  expire(scope: FaultScope = {}, times?: FaultTimes): Promise<FaultHandle> {
    return this.add({ kind: 'expired' }, scope, times);
  }

  /** No watch can start from before now. */
  async forgetHistory(): Promise<void> {
    await this.send({ do: 'forgetHistory' });
  }

  slowDown(ms: number, scope: FaultScope = {}): Promise<FaultHandle> {
    return this.add({ kind: 'latency', ms }, scope);
  }

  loseEvent(scope: FaultScope = {}, times: FaultTimes = { times: 1 }): Promise<FaultHandle> {
    return this.add({ kind: 'lost-event' }, { ...scope, ...WATCH }, times);
  }

  duplicateEvent(scope: FaultScope = {}, times: FaultTimes = { times: 1 }): Promise<FaultHandle> {
    return this.add({ kind: 'duplicate-event' }, { ...scope, ...WATCH }, times);
  }

  /** The next change is sent after the one that follows it. */
  reorderEvents(scope: FaultScope = {}, times: FaultTimes = { times: 1 }): Promise<FaultHandle> {
    return this.add({ kind: 'reordered-events' }, { ...scope, ...WATCH }, times);
  }

  /** Bodies end after that many bytes, those of watches too. */
  truncate(bytes: number, scope: FaultScope = {}, times?: FaultTimes): Promise<FaultHandle> {
    return this.add({ kind: 'truncate', bytes }, scope, times);
  }

  /** Connections are broken instead of answered. */
  reset(scope: FaultScope = {}, times?: FaultTimes): Promise<FaultHandle> {
    return this.add({ kind: 'reset' }, scope, times);
  }

  /** The user's tokens are refused from now on. */
  async expireToken(): Promise<void> {
    await this.send({ do: 'expireToken', user: this.#user, expired: true });
  }

  /** A new one for the user. */
  async issueToken(): Promise<string> {
    const { tokens } = await this.send({ do: 'issueToken', user: this.#user });

    return tokens[this.#user] ?? '';
  }

  /** Sets the cluster's clock ahead, or back. */
  async skewClock(ms: number): Promise<void> {
    await this.send({ do: 'skewClock', ms });
  }

  /** Stores an object without validation: hostile names, absurd sizes. */
  async put(resource: string, object: JsonObject): Promise<void> {
    await this.send({ do: 'put', resource, object: object as never });
  }

  /** Changes the objects of a namespace one after the other, up to the given number of changes. */
  async churn(resource: string, namespace: string, perSecond: number, changes: number): Promise<void> {
    await this.send({ do: 'churn', resource, namespace, perSecond, changes });
  }

  async add(fault: Fault, scope: FaultScope, { times }: FaultTimes = {}): Promise<FaultHandle> {
    const { faults } = await this.send({
      do: 'add',
      fault,
      scope: this.#scope(scope),
      ...(times === undefined ? {} : { times }),
    });
    const id = faults.at(-1)?.id ?? NaN;

    return {
      hits: async () => (await this.state()).faults.find((entry) => entry.id === id)?.hits ?? 0,
      end: async () => {
        await this.send({ do: 'remove', id });
      },
    };
  }

  /** Ends all faults; stored objects are unchanged. */
  async clear(): Promise<void> {
    await this.send({ do: 'clear' });
    await this.skewClock(0);
  }

  state(): Promise<ControlState> {
    return this.#send('GET');
  }

  send(command: ControlCommand): Promise<ControlState> {
    return this.#send('POST', JSON.stringify(command));
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #scope(scope: FaultScope): FaultScope {
    return { users: [this.#user], ...scope };
  }

  async #send(method: 'GET' | 'POST', body?: string): Promise<ControlState> {
    const answer = await request(this.#address.controlUrl, {
      method,
      dispatcher: this.#agent,
      headers: { authorization: `Bearer ${this.#address.controlToken}` },
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`the sandbox refused ${body ?? ''}: ${text}`);

    return JSON.parse(text) as ControlState;
  }
}
