import { type History } from '@/lib/history/revision';
import { type KubeObject } from '@/lib/kube/object';
import { type Rollout } from '@/lib/rollout/rollout';
import { type RecordInput, type RecordPicture, type RecordTarget } from '@/lib/rollout/record-picture';
import { type ReleaseRecord } from '@/lib/rollout/release-record';
import { type PodSummary } from '@/lib/workloads/pod';
import { type ResourceType } from '@/lib/workloads/resource';
import { type Template, type Workload } from '@/lib/workloads/workload';

/** What every system's object says, as the cache keeps it. A system's own type adds what its rules need. */
export interface RolloutObject {
  resource: string;
  /** Of the API, in which it was read and is written. */
  version: string;
  uid: string;
  namespace: string;
  name: string;
  resourceVersion: string;
  createdAt: string;
  deletedAt: string | null;
  workload: WorkloadTarget;
  /** Objects of the same namespace that take part, by their names. */
  beside: readonly { resource: string; name: string }[];
}

export interface WorkloadTarget {
  /** Null for a kind that Shiplog does not know. */
  resource: string | null;
  apiVersion: string;
  kind: string;
  name: string;
}

/** An object that takes part in releases beside the rollout. */
export interface BesideObject {
  resource: string;
  uid: string;
  namespace: string;
  name: string;
  controllerUid: string | null;
}

/** A workload with everything that is derived from it. */
export interface WorkloadFacts {
  workload: Workload;
  history: History;
  pods: readonly PodSummary[];
  desired: number;
}

export interface RolloutInput<T extends RolloutObject = RolloutObject> {
  object: T;
  workload: { state: 'found'; facts: WorkloadFacts } | { state: 'missing' } | { state: 'unknown' };
  /** Those that the system made for the release, such as the canary of a Deployment. */
  auxiliaries: readonly WorkloadFacts[];
  beside: readonly BesideObject[];
  /** RFC 3339 time of the judgement. */
  now: string;
}

/** Records that a system keeps of its releases. */
export interface RecordKind<T extends RolloutObject = RolloutObject> {
  readonly resource: ResourceType;
  /** `idOf` gives templates that mean the same the same id. Never throws on odd input. */
  parse(object: KubeObject, idOf: (template: Template) => string): ReleaseRecord;
  /** The template that it holds, as a revision would; undefined where it holds none. */
  templateOf(object: KubeObject): Template | undefined;
  targetOf(record: ReleaseRecord, rollout: T | null): RecordTarget | null;
  explain(input: RecordInput<T>): RecordPicture;
  /** What it means that there is none. */
  readonly emptyNote: string;
}

/** Everything that Shiplog knows about one system of rollouts; shared code asks and never switches on it. */
export interface RolloutSystem<T extends RolloutObject = RolloutObject> {
  readonly id: string;
  readonly resource: ResourceType;
  /** Followed as well; what is parsed of them goes to {@link derive}. */
  readonly beside: readonly { resource: ResourceType; parse(object: KubeObject): BesideObject }[];
  readonly records: RecordKind<T> | null;
  /** Labels by which pods tell their step. */
  readonly podLabels: readonly string[];
  /** Takes out what the rules need, whatever is in it. */
  parse(object: KubeObject): T;
  derive(input: RolloutInput<T>): Rollout;
  /** Milliseconds since the epoch until which {@link derive} answers the same, unless the cluster changes. */
  validUntil(input: RolloutInput<T>): number;
  /** Equal texts mean that an action meets what its viewer saw. */
  seenText(input: RolloutInput<T>): string;
}
