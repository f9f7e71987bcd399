import { type History } from '@/lib/history/revision';
import { type KubeObject } from '@/lib/kube/object';
import { type Rollout, type RolloutActionName } from '@/lib/rollout/rollout';
import { type RecordInput, type RecordPicture, type RecordTarget } from '@/lib/rollout/record-picture';
import { type ReleaseRecord } from '@/lib/rollout/release-record';
import { type Finding, type NeededRight, type Plan } from '@/lib/workloads/plan';
import { type RoutedTraffic, type RouteReading, type RouteRef } from '@/lib/rollout/routed-traffic';
import { type PodSummary } from '@/lib/workloads/pod';
import { type ResourceType } from '@/lib/workloads/resource';
import {
  type RevisionSource,
  type Template,
  type TemplateFacts,
  type Workload,
} from '@/lib/workloads/workload';

/** What every system's object says, as the cache keeps it. A system's own type adds what its rules need. */
export interface RolloutObject {
  resource: string;
  /** Of the API, in which it was read and is written. */
  version: string;
  uid: string;
  namespace: string;
  name: string;
  resourceVersion: string;
  generation: number;
  /** The generation that the controller has seen; null where it has seen none. */
  observedGeneration: number | null;
  createdAt: string;
  deletedAt: string | null;
  workload: WorkloadTarget;
  /** Objects of the same namespace that take part, by their names. */
  beside: readonly { resource: string; name: string }[];
  /** Other workloads of the same namespace that pods come from or go to. Absent: none. */
  others?: readonly { resource: string; name: string }[];
  /** A return to the stable revision is another release in steps. Absent: it ends the release at once. */
  rollsBackInSteps?: boolean;
  /** The component whose recorded revisions it names. Absent: it names none. */
  component?: string;
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

/** What is recorded of a component, and the history that shows it. */
export interface ComponentFacts {
  /** Null where no page shows its revisions. */
  history: { resource: string; name: string } | null;
  /** In no particular order. */
  revisions: readonly RevisionSource[];
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
  /** Those of its other workloads that are there. Absent: it has none. */
  others?: readonly WorkloadFacts[];
  /** Absent: it names no component. */
  component?: ComponentFacts;
  /** Milliseconds since the epoch at which the present state of the object was first seen. Absent: not known. */
  seenMs?: number;
  /** RFC 3339 time of the judgement. */
  now: string;
}

/** What somebody wants of a rollout. */
export interface RolloutAsk {
  action: RolloutActionName;
  /** Of a jump; of an approval, the last step that it is for, where that is not the next one. */
  step: number | null;
  /** Of a deletion: whether to take back what was done. Absent: as the object says. */
  revert?: boolean;
}

/** When an action is over. `release`: the system's id of the one that it belongs to. */
export type RolloutGoal =
  | {
      until: 'step';
      from: number;
      /** Null: to the end of the release. */
      to: number | null;
      release: string | null;
    }
  /** `written`: it takes effect as it is written, and nobody says that he has seen it. */
  | { until: 'observed' | 'disabled' | 'enabled' | 'aborted' | 'retried' | 'written' | 'deleted' };

/** `workload`: the rollout moves when its workload goes back to the revision, which is for the workload's kind to plan. */
export type RolloutPlanned =
  | { kind: 'write'; plan: Plan; goal: RolloutGoal; findings: readonly Finding[] }
  | { kind: 'workload'; revisionId: string; findings: readonly Finding[] }
  | { kind: 'refused'; findings: readonly Finding[] };

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
  /** The templates before and after, where they are not two revisions of the workload. Absent: they always are. */
  sides?(input: RolloutInput<T>): { before: TemplateFacts; after: TemplateFacts } | null;
  /** How requests are really shared out: by objects that are read when somebody looks. */
  readonly routing: {
    refs(input: RolloutInput<T>): readonly RouteRef[];
    /** `readings` in the order of the refs. Null where nothing shares requests out. */
    traffic(input: RolloutInput<T>, readings: readonly RouteReading[]): RoutedTraffic | null;
  };
  /** Plans an action on what is there now: what is refused is so before anything is sent. */
  plan(input: RolloutInput<T>, ask: RolloutAsk): RolloutPlanned;
  /** The right that an action needs; null where it is that to the workload. */
  rightOf(object: T, action: RolloutActionName): NeededRight | null;
}
