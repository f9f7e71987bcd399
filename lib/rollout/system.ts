import type { KubeObject } from '@/lib/kube/object';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type {
  ControllerRecordInput,
  ControllerRecordView,
  ControllerRecordTarget,
  ControllerRecord,
} from '@/lib/rollout/controller-record';
import type { Finding, NeededRight, Plan } from '@/lib/workloads/plan';
import type { RolloutActionName } from '@/lib/api/action-values';
import type { RoutedTraffic, RouteReading, RouteRef } from '@/lib/rollout/routed-traffic';
import type { ResourceType } from '@/lib/kube/resource';
import type { Template, TemplateFacts } from '@/lib/history/workload';
import type { RelatedObject, ComponentFacts, RolloutObject, RolloutFacts } from '@/lib/rollout/rollout-facts';

export interface RolloutInput<T extends RolloutObject = RolloutObject> {
  object: T;
  workload: { state: 'found'; facts: RolloutFacts } | { state: 'missing' } | { state: 'unknown' };
  /** Those that the system created for the rollout, such as the canary of a Deployment. */
  auxiliaries: readonly RolloutFacts[];
  relatedObjects: readonly RelatedObject[];
  /** Those of its other workloads that exist. Absent: it has none. */
  others?: readonly RolloutFacts[];
  /** Absent: it names no component. */
  component?: ComponentFacts;
  /**
   * Milliseconds since the epoch at which the current state of the object was first observed. Absent: not
   * known.
   */
  observedMs?: number;
  /** RFC 3339 time of the evaluation. */
  now: string;
}

/** What the rules of every system need of the input. */
export interface BaseContext<T extends RolloutObject = RolloutObject> {
  rollout: T;
  facts: RolloutFacts | null;
  isDeleted: boolean;
  /** By its spec. */
  isPaused: boolean;
  nowMs: number;
  /** When its current state was first observed; null where that is not known. */
  observedMs: number | null;
}

export function readBase<T extends RolloutObject>(
  { object, workload, observedMs, now }: RolloutInput<T>,
  isPaused: boolean,
): BaseContext<T> {
  return {
    rollout: object,
    facts: workload.state === 'found' ? workload.facts : null,
    isDeleted: object.deletedAt !== null,
    isPaused,
    nowMs: Date.parse(now),
    observedMs: observedMs ?? null,
  };
}

/** A requested action on a rollout. */
export interface RolloutActionRequest {
  action: RolloutActionName;
  /** Of a jump; of an approval, the last step that it includes, where that is not the next one. */
  step: number | null;
  /** Of a deletion: whether to revert the changes. Absent: as the object says. */
  revert?: boolean;
}

/** When an action completes. `runId`: the system's id of the one that it belongs to. */
export type RolloutGoal =
  | {
      until: 'step';
      from: number;
      /** Null: to the end of the rollout. */
      to: number | null;
      runId: string | null;
    }
  /** `written`: it takes effect when it is written, and no controller confirms it. */
  | { until: 'observed' | 'disabled' | 'enabled' | 'aborted' | 'retried' | 'written' | 'deleted' };

/**
 * `workload`: the rollout moves when its workload is rolled back to the revision, which the workload's kind
 * plans.
 */
export type RolloutPlanResult =
  | { kind: 'write'; plan: Plan; goal: RolloutGoal; findings: readonly Finding[] }
  | { kind: 'workload'; revisionId: string; findings: readonly Finding[] }
  | { kind: 'refused'; findings: readonly Finding[] };

/** Records that a system keeps of its rollouts. */
export interface ControllerRecordKind<T extends RolloutObject = RolloutObject> {
  readonly resource: ResourceType;
  /** `idOf` gives equivalent templates the same id. Never throws on malformed input. */
  parse(object: KubeObject, idOf: (template: Template) => string): ControllerRecord;
  /** The template that it holds, as a revision would; undefined where it holds none. */
  templateOf(object: KubeObject): Template | undefined;
  targetOf(record: ControllerRecord, rollout: T | null): ControllerRecordTarget | null;
  explain(input: ControllerRecordInput<T>): ControllerRecordView;
  /** What its absence means. */
  readonly emptyNote: string;
}

/**
 * Everything that Shiplog knows about one system of rollouts; shared code asks the system and never switches
 * on it.
 */
export interface RolloutSystem<T extends RolloutObject = RolloutObject> {
  readonly id: string;
  readonly resource: ResourceType;
  /** Watched as well; {@link derive} gets what is parsed of them. */
  readonly relatedObjects: readonly { resource: ResourceType; parse(object: KubeObject): RelatedObject }[];
  readonly records: ControllerRecordKind<T> | null;
  /** Labels of pods that name their step. */
  readonly podLabels: readonly string[];
  /** Extracts what the rules need, from any content. */
  parse(object: KubeObject): T;
  derive(input: RolloutInput<T>): ProgressiveRollout;
  /** Milliseconds since the epoch until which {@link derive} answers the same, unless the cluster changes. */
  validUntil(input: RolloutInput<T>): number;
  /** Equal texts mean that an action applies to what its viewer saw. */
  preconditionText(input: RolloutInput<T>): string;
  /**
   * The templates before and after, where they are not two revisions of the workload. Absent: they always are.
   */
  sides?(input: RolloutInput<T>): { before: TemplateFacts; after: TemplateFacts } | null;
  /** How requests are actually shared out, by objects that are read only on demand. */
  readonly routing: {
    refs(input: RolloutInput<T>): readonly RouteRef[];
    /** `readings` in the order of the refs. Null where nothing shares requests out. */
    traffic(input: RolloutInput<T>, readings: readonly RouteReading[]): RoutedTraffic | null;
  };
  /** Plans an action on the current state: a rejected one is rejected before any request is sent. */
  plan(input: RolloutInput<T>, request: RolloutActionRequest): RolloutPlanResult;
  /** The permission that an action needs; null where it is that for the workload. */
  rightOf(object: T, action: RolloutActionName): NeededRight | null;
}

/** Members of a system that writes no records, labels no pods, and shares out requests by its own object alone. */
export const plainSystem = {
  relatedObjects: [],
  records: null,
  podLabels: [],
  routing: { refs: () => [], traffic: () => null },
} as const satisfies Partial<RolloutSystem>;
