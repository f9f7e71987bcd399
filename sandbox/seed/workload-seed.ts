import { type JsonObject } from '@/lib/kube/json';
import { type App } from '@/sandbox/seed/app-template';

/** A user with a tool: the user of the request and the field manager that the API server records. */
export interface SeedActor {
  readonly user: string;
  readonly manager: string;
  /** Writes the whole workload by server-side apply. */
  readonly applies?: true;
}

/** Time before the end of the seeded history, largest unit first: `12d4h`, `26m`, `1h5m30s`. */
export type Ago = string;

/** One action of a user on a workload. */
export type SeedAction = { readonly ago: Ago; readonly by: SeedActor } & (
  | {
      readonly do: 'ship';
      readonly change: Partial<App>;
      /** The change cause; without one the previous one stays. */
      readonly cause?: string;
      /** More of the workload's spec, as a merge patch. */
      readonly spec?: JsonObject;
      /** Labels of the workload that its pods do not get. */
      readonly labels?: Readonly<Record<string, string>>;
    }
  /** A rollback to the template of the version with that number, counted from 0, the creation. */
  | { readonly do: 'undo'; readonly to: number }
  | { readonly do: 'restart' }
  /** A merge patch of the spec without the template: replicas, partition, pause. */
  | { readonly do: 'set'; readonly spec: JsonObject }
  /** Deletes so many pods, in the order of their nodes. */
  | { readonly do: 'deletePods'; readonly count: number }
  /** Rolls the workload out in steps from now on. */
  | { readonly do: 'startStepping'; readonly rollout: RolloutSeed }
  /** Deletes the object that rolls out in steps. */
  | { readonly do: 'stopStepping'; readonly rollout: string }
  /** Approves the next step of the rollout, or the one named. */
  | { readonly do: 'approve'; readonly rollout: RolloutSeed; readonly to?: number }
  /** A merge patch of the workload's own status. */
  | { readonly do: 'setStatus'; readonly status: JsonObject }
  /** Creates an object that refers to the workload. */
  | { readonly do: 'createObject'; readonly collection: string; readonly object: JsonObject }
  /** A merge patch of such an object, or of its status. */
  | { readonly do: 'patchObject'; readonly path: string; readonly patch: JsonObject }
  | { readonly do: 'deleteObject'; readonly path: string }
  /** Writes a record of a rollout in addition to those of the controller. */
  | {
      readonly do: 'putRecord';
      readonly name: string;
      readonly rollout: RolloutSeed;
      readonly id: string;
      /** The number of its version, counted from 0, the creation. */
      readonly of: number;
      readonly phase: string;
      /** Whether it names the traffic objects: the kinds without a field for them are left out. */
      readonly isRouted: boolean;
      /** How many pods each step has. */
      readonly pods: readonly number[];
    }
);

export type SeedKind =
  | 'Deployment'
  | 'StatefulSet'
  | 'DaemonSet'
  | 'CloneSet'
  | 'AdvancedStatefulSet'
  | 'AdvancedDaemonSet'
  | 'LeaderWorkerSet'
  | 'ArgoRollout';

/** A Rollout of OpenKruise. */
export interface RolloutSeed {
  readonly name: string;
  /** `canary` rolls out a new version of a Deployment in a separate Deployment. */
  readonly style: 'canary' | 'partition' | 'blueGreen';
  readonly steps: readonly JsonObject[];
  /** The traffic object in addition to a Service; it is named like the workload. */
  readonly through: 'Ingress' | 'HTTPRoute';
}

export interface WorkloadSeed {
  readonly kind: SeedKind;
  readonly app: App;
  /** Not for a DaemonSet; of a LeaderWorkerSet its groups. */
  readonly replicas?: number;
  /** Pods of each group of a LeaderWorkerSet. */
  readonly groupSize?: number;
  /** More of the spec at the creation. */
  readonly spec?: JsonObject;
  /** Annotations of the workload at the creation. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Objects that must exist before it, each with its collection. */
  readonly prerequisites?: readonly { readonly collection: string; readonly object: JsonObject }[];
  readonly created: Ago;
  readonly by: SeedActor;
  readonly cause?: string;
  /** Oldest first. */
  readonly acts: readonly SeedAction[];
  /** Whether it may be updated, scaled and restarted by background activity. */
  readonly isLively?: boolean;
}

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };

/** Milliseconds. Throws RangeError on anything but numbers with units. */
export function msOf(ago: Ago): number {
  if (!/^(\d+[dhms])+$/.test(ago))
    throw new RangeError(`${ago} is no time before the end of the seeded history`);
  return [...ago.matchAll(/(\d+)([dhms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS],
    0,
  );
}
