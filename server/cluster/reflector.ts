import { type AppError } from '@/lib/errors';
import { type KubeObject } from '@/lib/kube/object';
import { type Clock } from '@/server/cluster/clock';
import { type Transport } from '@/server/cluster/transport';

/** `namespace/name`; `-/name` where objects have no namespace. */
export type ObjectKey = string;

/**
 * What became different in the store. `value` of a deletion is the last state the API server sent, or the stored one
 * when the deletion was only noticed by comparing lists. Another uid under the same name is a deletion and an addition.
 */
export type ReflectorChange<T> =
  | { readonly type: 'added'; readonly key: ObjectKey; readonly uid: string; readonly value: T }
  | {
      readonly type: 'updated';
      readonly key: ObjectKey;
      readonly uid: string;
      readonly value: T;
      readonly previous: T;
    }
  | {
      readonly type: 'deleted';
      readonly key: ObjectKey;
      readonly uid: string;
      readonly value: T;
      readonly previous: T;
    };

/** `unserved`: the cluster does not know the kind. Both it and `forbidden` are tried again at growing intervals. */
export type ReflectorPhase = 'listing' | 'watching' | 'retrying' | 'forbidden' | 'unserved' | 'stopped';

/** All times in milliseconds since the epoch; undefined: never yet. */
export interface ReflectorState {
  readonly phase: ReflectorPhase;
  /** When the phase began. */
  readonly since: number;
  /** Whether one complete list has been taken in; from then on the store is whole, though perhaps old. */
  readonly synced: boolean;
  readonly lastSyncAt: number | undefined;
  /** The last time the API server was heard: an answer, an event or a bookmark. */
  readonly lastContactAt: number | undefined;
  readonly resourceVersion: string | undefined;
  /** Why the phase is retrying, forbidden or unserved. */
  readonly error: AppError | undefined;
  /** Objects that could not be taken in since the start. */
  readonly ingestFailures: number;
}

export interface ReflectorOptions<T> {
  readonly transport: Pick<Transport, 'json' | 'stream'>;
  /** Collection, cluster-wide or of one namespace, e.g. `/apis/apps/v1/deployments`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly pageSize?: number;
  /** Turns an object into what is kept. Called for every state that is new to the store, the last one of a deletion too. */
  readonly ingest: (object: KubeObject) => T;
  readonly onChange?: (change: ReflectorChange<T>) => void;
  /** Called when phase, synced or error change, not for each contact. */
  readonly onState?: (state: ReflectorState) => void;
  readonly clock?: Clock;
  readonly random?: () => number;
}

export interface Reflector<T> {
  readonly path: string;
  readonly state: ReflectorState;
  readonly store: ReadonlyMap<ObjectKey, T>;
  start(): void;
  /** Ends the watch; resolves when nothing is under way any more. */
  stop(): Promise<void>;
}
