import { Agent, request } from 'undici';
import { type JsonObject } from '@/lib/kube/json';
import { type ControlCommand } from '@/server/sandbox/api/control';
import { type Fault, type FaultScope } from '@/server/sandbox/api/faults';

/** Where a sandbox takes commands, and what it asks for. */
export interface ControlAddress {
  readonly controlUrl: string;
  readonly controlToken: string;
  /** PEM. */
  readonly ca: string;
}

export interface ControlState {
  /** Present resource version. */
  readonly version: number;
  readonly skewMs: number;
  readonly changesToCome: number;
  /** Newest token by user. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly faults: readonly { id: number; fault: Fault; remaining: number | null; hits: number }[];
  readonly watches: readonly { id: number; user: string; resource: string; userAgent: string }[];
}

/** A fault that is being rehearsed. */
export interface Rehearsed {
  /** How often it has happened. */
  hits(): Promise<number>;
  end(): Promise<void>;
}

export interface Times {
  /** How often it happens; until it is ended if that is not said. */
  readonly times?: number;
}

const WATCH = { verbs: ['watch'] };

/** Lets a sandbox misbehave, over its control endpoint; towards one user only, so that controllers and tests go on. */
export class SandboxFaults {
  readonly #address: ControlAddress;
  readonly #user: string;
  readonly #agent: Agent;

  constructor(address: ControlAddress, user: string) {
    this.#address = address;
    this.#user = user;
    this.#agent = new Agent({ allowH2: false, connect: { ca: address.ca } });
  }

  /** Ends every open watch: properly, or by tearing its connection. */
  async cutWatches(how: 'end' | 'reset' = 'end', scope: FaultScope = {}): Promise<void> {
    await this.send({ do: 'cutWatches', how, scope: this.#scope(scope) });
  }

  /** No watch opens any more; open ones go on. */
  refuseWatches(code = 503, scope: FaultScope = {}): Promise<Rehearsed> {
    return this.add({ kind: 'status', code }, { ...scope, ...WATCH });
  }

  /** Answers every request with a status. */
  fail(code: number, scope: FaultScope = {}, times?: Times): Promise<Rehearsed> {
    return this.add({ kind: 'status', code }, scope, times);
  }

  /** 429, with the time to wait. */
  askToWait(retryAfterSeconds: number, scope: FaultScope = {}, times?: Times): Promise<Rehearsed> {
    return this.add({ kind: 'status', code: 429, retryAfterSeconds }, scope, times);
  }

  /** 410 where something is asked for that goes on from before. */
  expire(scope: FaultScope = {}, times?: Times): Promise<Rehearsed> {
    return this.add({ kind: 'expired' }, scope, times);
  }

  /** What happened until now can't be watched from any more. */
  async forgetHistory(): Promise<void> {
    await this.send({ do: 'forgetHistory' });
  }

  slowDown(ms: number, scope: FaultScope = {}): Promise<Rehearsed> {
    return this.add({ kind: 'latency', ms }, scope);
  }

  loseEvent(scope: FaultScope = {}, times: Times = { times: 1 }): Promise<Rehearsed> {
    return this.add({ kind: 'lost-event' }, { ...scope, ...WATCH }, times);
  }

  duplicateEvent(scope: FaultScope = {}, times: Times = { times: 1 }): Promise<Rehearsed> {
    return this.add({ kind: 'duplicate-event' }, { ...scope, ...WATCH }, times);
  }

  /** The next change is told after the one that follows it. */
  reorderEvents(scope: FaultScope = {}, times: Times = { times: 1 }): Promise<Rehearsed> {
    return this.add({ kind: 'reordered-events' }, { ...scope, ...WATCH }, times);
  }

  /** Bodies break off after so many bytes, those of watches too. */
  truncate(bytes: number, scope: FaultScope = {}, times?: Times): Promise<Rehearsed> {
    return this.add({ kind: 'truncate', bytes }, scope, times);
  }

  /** Connections are torn instead of answered. */
  reset(scope: FaultScope = {}, times?: Times): Promise<Rehearsed> {
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

  /** Puts the cluster's clock ahead, or back. */
  async skewClock(ms: number): Promise<void> {
    await this.send({ do: 'skewClock', ms });
  }

  /** Stores an object past every rule: hostile names, absurd sizes. */
  async put(resource: string, object: JsonObject): Promise<void> {
    await this.send({ do: 'put', resource, object: object as never });
  }

  /** Changes the objects of a namespace one after the other, for as many changes as asked for. */
  async churn(resource: string, namespace: string, perSecond: number, changes: number): Promise<void> {
    await this.send({ do: 'churn', resource, namespace, perSecond, changes });
  }

  async add(fault: Fault, scope: FaultScope, { times }: Times = {}): Promise<Rehearsed> {
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

  /** Everything works again; what was stored stays. */
  async clear(): Promise<void> {
    await this.send({ do: 'clear' });
    await this.skewClock(0);
  }

  state(): Promise<ControlState> {
    return this.#ask('GET');
  }

  send(command: ControlCommand): Promise<ControlState> {
    return this.#ask('POST', JSON.stringify(command));
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #scope(scope: FaultScope): FaultScope {
    return { users: [this.#user], ...scope };
  }

  async #ask(method: 'GET' | 'POST', body?: string): Promise<ControlState> {
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
