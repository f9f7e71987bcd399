import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { JsonObject } from '@/lib/kube/json';
import { type IdSource, timestamp } from '@/sandbox/api/api-core';
import { readBody } from '@/sandbox/api/api-request';
import { badRequest, unauthorized } from '@/sandbox/api/objects/api-status';
import type { TokenTable } from '@/sandbox/api/authenticate';
import {
  covers,
  faultSchema,
  type Faults,
  type FaultScope,
  scopeSchema,
  targetOf,
} from '@/sandbox/api/faults';
import type { WatchStreams } from '@/sandbox/api/watches';
import type { ObjectStore } from '@/sandbox/api/object-store';
import type { StoredObject } from '@/sandbox/api/objects/stored-object';

/** Path of the control commands; Kubernetes has no such path. */
export const CONTROL_PATH = '/sandbox/control';

const objectSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});
const commandSchema = z.discriminatedUnion(
  'do',
  // prettier-ignore
  [
  z.object({ do: z.literal('add'), fault: faultSchema, scope: scopeSchema.optional(), times: z.int().positive().optional() }),
  z.object({ do: z.literal('remove'), id: z.int() }),
  z.object({ do: z.literal('clear') }),
  z.object({ do: z.literal('cutWatches'), how: z.enum(['end', 'reset']), scope: scopeSchema.optional() }),
  z.object({ do: z.literal('forgetHistory') }),
  z.object({ do: z.literal('expireToken'), user: z.string(), expired: z.boolean() }),
  z.object({ do: z.literal('issueToken'), user: z.string() }),
  z.object({ do: z.literal('skewClock'), ms: z.number() }),
  z.object({ do: z.literal('put'), resource: z.string(), object: objectSchema }),
  z.object({ do: z.literal('churn'), resource: z.string(), namespace: z.string(), perSecond: z.int().positive(), changes: z.int().positive() }),
],
);

/** A command that changes the cluster from outside of the Kubernetes protocol. */
export type ControlCommand = z.infer<typeof commandSchema>;

export interface ControlParts {
  readonly faults: Faults;
  readonly watches: WatchStreams;
  readonly store: ObjectStore;
  readonly tokens: TokenTable;
  readonly churn: Churn;
  readonly ids: IdSource;
  readonly now: () => number;
  /** Milliseconds that the cluster's clock is ahead. */
  readonly skew: { ms: number };
}

/** Executes a command. Throws ApiStatus on one about an object that does not exist. */
export function control(parts: ControlParts, command: ControlCommand): void {
  switch (command.do) {
    case 'add':
      parts.faults.add(command.fault, command.scope, command.times);
      return;
    case 'remove':
      return parts.faults.remove(command.id);
    case 'clear':
      parts.churn.stop();
      return parts.faults.clear();
    case 'cutWatches':
      return cutWatches(parts.watches, command.how, command.scope);
    case 'forgetHistory':
      return parts.store.compact();
    case 'expireToken':
      return parts.tokens.setExpired(command.user, command.expired);
    case 'issueToken':
      parts.tokens.issue(command.user);
      return;
    case 'skewClock':
      parts.skew.ms = command.ms;
      return;
    case 'put':
      return putUnchecked(parts, command.resource, command.object as JsonObject);
    case 'churn':
      return parts.churn.start(command);
    default:
      return command satisfies never;
  }
}

function cutWatches(watches: WatchStreams, how: 'end' | 'reset', scope: FaultScope = {}): void {
  for (const watch of watches.openWatches) if (covers(scope, targetOf(watch))) watch.close(how);
}

/** Stores an object as it is and overwrites an existing one, without validation. */
function putUnchecked({ store, ids, now }: ControlParts, collection: string, object: JsonObject): void {
  const { metadata } = object as StoredObject;
  const known = store.get(collection, metadata.namespace ?? '', metadata.name)?.metadata;
  const uid = known?.uid ?? metadata.uid ?? ids.uid();
  const creationTimestamp = known?.creationTimestamp ?? metadata.creationTimestamp ?? timestamp(now());
  store.put(collection, { ...(object as StoredObject), metadata: { ...metadata, uid, creationTimestamp } });
}

/** Answers a request to {@link CONTROL_PATH}: the state, after the command if there is one. Throws ApiStatus. */
export async function answerControl(
  parts: ControlParts,
  token: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.headers.authorization !== `Bearer ${token}`) throw unauthorized();
  if (request.method === 'POST') control(parts, parseCommand(await readBody(request)));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(stateOf(parts)));
}

function parseCommand(body: Buffer): ControlCommand {
  try {
    return commandSchema.parse(JSON.parse(body.toString('utf8')));
  } catch (error) {
    throw badRequest(error instanceof z.ZodError ? z.prettifyError(error) : String(error));
  }
}

function stateOf({ faults, tokens, churn }: ControlParts): JsonObject {
  return {
    changesToCome: churn.left,
    tokens: tokens.latest,
    faults: faults.active.map(({ id, hits }) => ({ id, hits })),
  };
}

interface ChurnOptions {
  /** As `deployments.apps`. */
  readonly resource: string;
  readonly namespace: string;
  readonly perSecond: number;
  /** Total number of changes. */
  readonly changes: number;
}

/** The value that every change sets: the number of changes before it. */
export const CHURN_ANNOTATION = 'sandbox.example/churn';
const TICK_MS = 10;

/** Changes the objects of a collection one after the other, at a steady rate. */
export class Churn {
  readonly #store: ObjectStore;
  #timer: NodeJS.Timeout | undefined;
  #left = 0;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Number of changes still to make. */
  get left(): number {
    return this.#left;
  }

  /** Replaces a running stream of changes. */
  start({ resource, namespace, perSecond, changes }: ChurnOptions): void {
    this.stop();
    this.#left = changes;
    const startedAt = performance.now();
    this.#timer = setInterval(() => {
      // Catches up after a late timer.
      const due = Math.min(changes, Math.ceil(((performance.now() - startedAt) / 1000) * perSecond));
      const objects = this.#store.list(resource, namespace);
      for (let done = changes - this.#left; done < due && objects.length > 0; done += 1) {
        const name = objects[done % objects.length]?.metadata.name ?? '';
        const present = this.#store.get(resource, namespace, name);
        if (present !== undefined) this.#store.put(resource, changed(present, done));
      }
      this.#left = changes - due;
      if (this.#left === 0) this.stop();
    }, TICK_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#left = 0;
  }
}

function changed(object: StoredObject, count: number): StoredObject {
  const annotations = { ...object.metadata.annotations, [CHURN_ANNOTATION]: String(count) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
