import { AppError } from '@/lib/errors';
import { type Json, type JsonObject, stringifyGo } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { isKubeObject } from '@/server/cluster/object-list';
import type { Transport } from '@/server/cluster/transport';
import type { KubeMethod } from '@/server/cluster/kube-request';
import type { Informer } from '@/sandbox/controllers/runtime/informer';
import { collectionPath, objectPath, type ObjectType } from '@/sandbox/controllers/runtime/resource-type';

/** The field manager of a write. */
export type Manager =
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kubelet'
  | 'kruise-manager'
  | 'lws'
  | 'rollouts-controller'
  | 'kubevela'
  | 'argocd-controller'
  | 'argocd-applicationset-controller'
  | 'kustomize-controller';

/** An object as it is written: the API server fills in the rest. */
export type Draft = JsonObject & { metadata: JsonObject };

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
}

/** Reads and writes objects of one kind; every write updates the store at once. */
export class Resource<T extends KubeObject> {
  readonly type: ObjectType;
  readonly store: Informer<T>;
  readonly #transport: Transport;
  readonly #manager: Manager;

  constructor(
    type: ObjectType,
    transport: Transport,
    store: Informer<T>,
    manager: Manager = 'kube-controller-manager',
  ) {
    this.type = type;
    this.store = store;
    this.#transport = transport;
    this.#manager = manager;
  }

  /** The same objects, written as another field manager. */
  as(manager: Manager): Resource<T> {
    return new Resource(this.type, this.#transport, this.store, manager);
  }

  /** Reads the object from the API server. */
  async read(namespace: string | undefined, name: string): Promise<T> {
    const path = objectPath(this.type, namespace, name);
    return this.#cacheWritten(await this.#transport.json({ method: 'GET', path }));
  }

  create(namespace: string | undefined, draft: Draft): Promise<T> {
    const { apiVersion, kind } = this.type;
    const body = stringifyGo({ apiVersion, kind, ...draft });
    return this.#write('POST', collectionPath(this.type, namespace), body);
  }

  /** Like `create`, with `data` as JSON text that is sent byte for byte. */
  createWithData(namespace: string | undefined, draft: Draft, data: string): Promise<T> {
    const { apiVersion, kind } = this.type;
    const body = stringifyGo({ apiVersion, kind, ...draft });
    return this.#write('POST', collectionPath(this.type, namespace), `${body.slice(0, -1)},"data":${data}}`);
  }

  /** Fails with `conflict` when the object has changed since it was read. */
  replace(object: T): Promise<T> {
    return this.#write('PUT', this.#pathOf(object), stringifyGo(jsonOf(object)));
  }

  /** Like `replace`, for the status alone. */
  replaceStatus(object: T): Promise<T> {
    return this.#write('PUT', this.#pathOf(object, 'status'), stringifyGo(jsonOf(object)));
  }

  /** A strategic merge patch that fails with `conflict` when the name now belongs to another object. */
  patch(object: T, metadata: JsonObject, subresource?: string, rest: JsonObject = {}): Promise<T> {
    const body = { metadata: { ...metadata, uid: object.metadata.uid }, ...rest };
    const contentType = 'application/strategic-merge-patch+json';
    return this.#write('PATCH', this.#pathOf(object, subresource), stringifyGo(body), contentType);
  }

  /**
   * A merge patch, which every kind accepts. Fails with `conflict` when the name now belongs to another
   * object.
   */
  merge(object: T, body: JsonObject, subresource?: string): Promise<T> {
    const { uid } = object.metadata;
    const metadata = { ...(body.metadata as JsonObject | undefined), uid };
    const text = stringifyGo({ ...body, metadata });
    return this.#write('PATCH', this.#pathOf(object, subresource), text, 'application/merge-patch+json');
  }

  /** A deleted object, or another one of the same name, is no error. Returns whether it existed. */
  async delete(object: T, { gracePeriodSeconds }: DeleteOptions = {}): Promise<boolean> {
    const options = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid: object.metadata.uid },
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    };
    try {
      const path = this.#pathOf(object);
      const answer = await this.#transport.json({ method: 'DELETE', path, body: JSON.stringify(options) });
      if (isKubeObject(answer) && remains(answer, gracePeriodSeconds))
        this.store.addWritten(this.store.ingest(answer));
      else this.store.removeDeleted(object);
      return true;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return false;
    }
  }

  /** A request to a subresource that does not return the object. */
  async post(object: T, subresource: string, body: JsonObject): Promise<void> {
    await this.#transport.json({
      method: 'POST',
      path: this.#pathOf(object, subresource),
      query: { fieldManager: this.#manager },
      body: stringifyGo(body),
    });
  }

  #pathOf({ metadata }: T, subresource?: string): string {
    return objectPath(this.type, metadata.namespace, metadata.name, subresource);
  }

  async #write(method: KubeMethod, path: string, body: string, contentType?: string): Promise<T> {
    const answer = await this.#transport.json({
      method,
      path,
      query: { fieldManager: this.#manager },
      body,
      ...(contentType === undefined ? {} : { contentType }),
    });
    return this.#cacheWritten(answer);
  }

  #cacheWritten(answer: Json): T {
    if (!isKubeObject(answer))
      throw new AppError('cluster_error', `The API server answered with no ${this.type.kind}.`);
    const object = this.store.ingest(answer);
    this.store.addWritten(object);
    return object;
  }
}

/** Interfaces have no index signature, but every object came as JSON. */
function jsonOf(object: KubeObject): JsonObject {
  return { ...object } as object as JsonObject;
}

/** A pod with a grace period, and any object with finalizers, stays for a while. */
function remains({ metadata }: KubeObject, askedSeconds: number | undefined): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  if ((metadata.finalizers ?? []).length > 0) return true;
  const { deletionGracePeriodSeconds = 0 } = metadata as { deletionGracePeriodSeconds?: number };
  return askedSeconds !== 0 && deletionGracePeriodSeconds > 0;
}

/** Deleted, or its name belongs to another object. */
export function isNotFound(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  return error.code === 'not_found' || (error.code === 'conflict' && /precondition/i.test(error.message));
}

export function isAlreadyExists(error: unknown): boolean {
  return error instanceof AppError && error.details.reason === 'AlreadyExists';
}

/** The message of the API server, as controllers quote it. */
export function errorText(error: unknown): string {
  if (error instanceof AppError && typeof error.details.apiMessage === 'string')
    return error.details.apiMessage;
  return error instanceof Error ? error.message : String(error);
}
