import { type JsonObject } from '@/lib/kube/json';
import { type App } from '@/server/sandbox/story/app';

/** Somebody with a tool: the user who asks and the field manager that the API server notes. */
export interface Actor {
  readonly user: string;
  readonly manager: string;
}

/** Time before the end of the story, largest unit first: `12d4h`, `26m`, `1h5m30s`. */
export type Ago = string;

/** One thing that somebody does to a workload. */
export type Act = { readonly ago: Ago; readonly by: Actor } & (
  | {
      readonly do: 'release';
      readonly change: Partial<App>;
      /** The change-cause; the one before stays where none is given. */
      readonly cause?: string;
      /** More of the workload's spec, as a merge patch. */
      readonly spec?: JsonObject;
      /** Labels of the workload that its pods do not get. */
      readonly marks?: Readonly<Record<string, string>>;
    }
  /** Back to the template of the release with that number, counted from 0, the creation. */
  | { readonly do: 'undo'; readonly to: number }
  | { readonly do: 'restart' }
  /** A merge patch of the spec that leaves the template alone: replicas, partition, pause. */
  | { readonly do: 'set'; readonly spec: JsonObject }
  /** Deletes so many pods, in the order of their nodes. */
  | { readonly do: 'deletePods'; readonly count: number }
  /** Puts the workload's releases into steps from now on. */
  | { readonly do: 'startStepping'; readonly rollout: RolloutStory }
  /** Deletes the object that does so. */
  | { readonly do: 'stopStepping'; readonly rollout: string }
  /** Lets the release go on to its next step, or to the one named. */
  | { readonly do: 'goOn'; readonly rollout: RolloutStory; readonly to?: number }
  /** A merge patch of the workload's own status. */
  | { readonly do: 'setStatus'; readonly status: JsonObject }
  /** Creates an object that is about the workload. */
  | { readonly do: 'createBeside'; readonly collection: string; readonly object: JsonObject }
  /** A merge patch of such an object, or of its status. */
  | { readonly do: 'patchBeside'; readonly path: string; readonly patch: JsonObject }
  | { readonly do: 'deleteBeside'; readonly path: string }
  /** Writes a record of a release beside those of the controller. */
  | {
      readonly do: 'putRecord';
      readonly name: string;
      readonly rollout: RolloutStory;
      readonly id: string;
      /** The number of the release that it is of, counted from 0, the creation. */
      readonly of: number;
      readonly phase: string;
      /** Whether it names what led to the pods: the kinds that it has no place for are left out. */
      readonly isRouted: boolean;
      /** How many pods each step has. */
      readonly pods: readonly number[];
    }
);

export type StoryKind =
  | 'Deployment'
  | 'StatefulSet'
  | 'DaemonSet'
  | 'CloneSet'
  | 'AdvancedStatefulSet'
  | 'AdvancedDaemonSet'
  | 'LeaderWorkerSet'
  | 'ArgoRollout';

/** A Rollout of OpenKruise. */
export interface RolloutStory {
  readonly name: string;
  /** `canary` gives a Deployment's new version a Deployment of its own. */
  readonly style: 'canary' | 'partition' | 'blueGreen';
  readonly steps: readonly JsonObject[];
  /** What leads to the pods, beside a Service; the object is named like the workload. */
  readonly through: 'Ingress' | 'HTTPRoute';
}

export interface WorkloadStory {
  readonly kind: StoryKind;
  readonly app: App;
  /** Not for a DaemonSet; of a LeaderWorkerSet its groups. */
  readonly replicas?: number;
  /** Pods of each group of a LeaderWorkerSet. */
  readonly groupSize?: number;
  /** More of the spec at the creation. */
  readonly spec?: JsonObject;
  /** Annotations of the workload at the creation. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** What has to be there before it, each with its collection. */
  readonly beside?: readonly { readonly collection: string; readonly object: JsonObject }[];
  readonly born: Ago;
  readonly by: Actor;
  readonly cause?: string;
  /** Oldest first. */
  readonly acts: readonly Act[];
  /** Whether it may be released, scaled and restarted when the story is over. */
  readonly isLively?: boolean;
}

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };

/** Milliseconds. Throws RangeError on anything but numbers with units. */
export function msOf(ago: Ago): number {
  if (!/^(\d+[dhms])+$/.test(ago)) throw new RangeError(`${ago} is no time before the end of a story`);
  return [...ago.matchAll(/(\d+)([dhms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS],
    0,
  );
}
