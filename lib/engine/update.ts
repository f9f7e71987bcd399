import { isActive } from '@/lib/history/assemble';
import type { PodSummary } from '@/lib/history/pod';
import type { RevisionHistory } from '@/lib/history/revision';
import type { Workload } from '@/lib/history/workload';
import type { JsonObject, Json } from '@/lib/kube/json';
import type { ResourceType } from '@/lib/kube/resource';

/**
 * Whether a pod can apply a new template without being replaced. `only`: a template that cannot be applied so
 * is rejected.
 * https://openkruise.io/docs/core-concepts/inplace-update
 */
type InPlace = 'never' | 'ifPossible' | 'only';

/** What the spec says of updates of the template; what is absent, the kind has not. */
export interface RollingSettings {
  isOnDelete?: boolean;
  isPaused?: boolean;
  /** As written; undefined when absent. */
  partition?: Json | undefined;
  surge?: Json | undefined;
  inPlace?: InPlace;
  /** Names under `spec` of the object with partition and pause. Absent: `spec` itself. */
  path?: readonly string[];
  /** Members that the first object of `path` needs besides, where it is missing. Absent: none. */
  created?: JsonObject;
}

/** The pods that a partition holds: all of them by name, or only their number where the controller chooses. */
export interface HeldPods {
  number: number;
  pods: readonly PodSummary[] | null;
}

/** What a kind states of its settings of updates: where they are written, and what they mean. */
export interface SettingRules {
  readonly resource: ResourceType;
  /** Its display name: "Advanced StatefulSet". */
  readonly title: string;
  /** A Rollout of OpenKruise pauses it while it moves it. */
  readonly rolloutPauses?: true;
  rollingOf(workload: Workload): RollingSettings;
  /** Pods, nodes, or groups. */
  desiredOf(workload: Workload): number;
  /** The partition as a number, in the meaning of the kind; 0 where nothing is held. Absent: the kind has none. */
  partitionOf?(workload: Workload): number;
  /** How many of the desired ones the partition holds. */
  heldCountOf?(workload: Workload): number;
}

/** How the controller of a kind moves pods to another template: all that the plans of its writes differ in. */
export interface UpdateRules extends SettingRules {
  readonly unit: 'pod' | 'node';
  /** A pod that ends keeps its place: the next one is created only then. */
  readonly waitsForDeletion?: true;
  /** Each pod has claims of its own, from templates that no revision records. */
  readonly hasClaims?: true;
  /**
   * How a Rollout of OpenKruise moves its pods, step by step: it sets the partition, or OnDelete, and deletes them itself.
   * Absent: a plan says only what its own controller does.
   */
  readonly rolloutMoves?: 'byPartition' | 'byDeletion';
  /** The annotation and the tool of a restart. Absent: those of kubectl. */
  readonly restart?: { annotation: string; tool: string };
  /** Why the command of kubectl is not the same rollback. Absent: it is. */
  readonly undo?: string;
  describeStrategy(workload: Workload): string;
  /** How many pods may be unavailable at a time. */
  unavailableOf(workload: Workload): number;
  /** Pods that are not ready anyway do not count for that number. Absent: they do. */
  ignoresUnready?(workload: Workload): boolean;
  /** How many at a time, and their order: a clause after "pods are replaced". */
  pace(workload: Workload): string;
  /** Active pods in the order of an update. Absent: it has none. */
  sort?(workload: Workload, pods: readonly PodSummary[]): PodSummary[];
  /** Whether the partition counts ordinals, or pods no matter which. */
  partitionKeeps?(workload: Workload): 'ordinals' | 'number';
  /** Which of `others`, active pods that run another revision than the target, a partition of `partition` holds. */
  heldPodsOf?(workload: Workload, others: readonly PodSummary[], partition: number): HeldPods;
  /** What else holds an uncounted number of pods; null where nothing does. Absent: nothing ever does. */
  otherHoldOf?(workload: Workload): string | null;
  /** A pod that an update does not replace by itself. Absent: the one that it waits for. */
  isAwaited?(workload: Workload, pod: PodSummary): boolean;
  /** A blocked pod that an ordered update waits for. Absent: updates are not ordered. */
  findBlockingPod?(
    workload: Workload,
    others: readonly PodSummary[],
    pods: readonly PodSummary[],
  ): PodSummary | null;
}

/** How many of the desired ones no partition holds. */
export function countReleased(rules: SettingRules, workload: Workload): number {
  return Math.max(0, rules.desiredOf(workload) - (rules.heldCountOf?.(workload) ?? 0));
}

/** Pods or groups: by name, or only their number where the controller chooses. */
export interface Units {
  number: number;
  names: readonly string[] | null;
}

/** What a new template, or another partition, does to pods or groups. */
export interface Move {
  unit: 'pod' | 'group';
  /** That are replaced or updated, in the order of the update. */
  moving: Units;
  /** That the partition holds on another revision. */
  held: Units;
  /** That are not touched: held, or on the revision already. */
  kept: number;
}

export interface PodMove extends Move {
  /** Active pods on another revision. */
  others: readonly PodSummary[];
  /** The pod that the update waits for before it moves any. */
  blocking: PodSummary | null;
}

/**
 * Of which pods the revision `id` takes the place, under a partition of `partition`; undefined for one that does not
 * exist yet.
 */
export function movePods(
  rules: UpdateRules,
  input: { workload: Workload; history: RevisionHistory; pods: readonly PodSummary[] },
  id: string | undefined,
  partition = rules.partitionOf?.(input.workload) ?? 0,
): PodMove {
  const { workload, history, pods } = input;
  const active = rules.sort?.(workload, pods) ?? pods.filter(isActive);
  const others = active.filter((pod) => id === undefined || history.revisionOfPod.get(pod.uid)?.id !== id);
  const isHeld = partition > 0 && rules.rollingOf(workload).isOnDelete !== true;
  const held = (isHeld ? rules.heldPodsOf?.(workload, others, partition) : null) ?? { number: 0, pods: [] };
  const { pods: heldPods } = held;
  const number = Math.max(0, others.length - held.number);
  return {
    unit: 'pod',
    others,
    moving: { number, names: heldPods && namesOf(others.filter((pod) => !heldPods.includes(pod))) },
    held: { number: held.number, names: heldPods && namesOf(heldPods) },
    kept: active.length - number,
    blocking: rules.findBlockingPod?.(workload, others, pods) ?? null,
  };
}

function namesOf(pods: readonly PodSummary[]): string[] {
  return pods.map(({ name }) => name);
}

/** Who moves the pods to a new template. `deletion`: a person, who deletes them. */
export type Mover =
  { by: 'controller' | 'deletion' | 'resume' } | { by: 'rollout'; rollout: string; ends: boolean };

/** `rollout`: the one of OpenKruise in progress; `ends`: the new template ends it. */
export function whoMoves(
  rules: UpdateRules,
  workload: Workload,
  rollout: string | null,
  ends: boolean,
): Mover {
  const { isOnDelete, isPaused } = rules.rollingOf(workload);
  const isDeletedByRollout = rules.rolloutMoves === 'byDeletion' && rollout !== null;
  if (isOnDelete === true && !isDeletedByRollout) return { by: 'deletion' };
  if (rollout !== null) return { by: 'rollout', rollout, ends };
  return { by: isPaused === true ? 'resume' : 'controller' };
}

/**
 * For kinds whose partition is a number of pods: the controller chooses which of them stay on their revision.
 */
export function heldByNumber(others: readonly PodSummary[], heldCount: number): HeldPods {
  const number = Math.min(others.length, heldCount);
  return { number, pods: number === others.length ? others : number === 0 ? [] : null };
}
