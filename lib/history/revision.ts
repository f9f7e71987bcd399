import { type RevisionSource } from '@/lib/history/workload';

/**
 * A period during which a revision was the target. Times are RFC 3339 and only what the cluster proves;
 * null means unknown. Where only a bound is provable, `from` is null and the bounds are set.
 */
export interface Activation {
  /** The number that the revision had during this activation. */
  number: number;
  from: string | null;
  /** Bounds of an unknown `from`. */
  fromNotBefore: string | null;
  fromNotAfter: string | null;
  to: string | null;
  /** Still the target. */
  open: boolean;
}

/** One revision of a workload's history, derived from its source object and the current state. */
export interface Revision {
  /**
   * Opaque and stable through renumbering: the uid of the source object, where one object carries it
   * permanently.
   */
  id: string;
  /** Null where the source carries no readable number. A ReplicaSet without the annotation counts as 0. */
  number: number | null;
  name: string;
  source: RevisionSource;
  /** The workload's spec requests it now. */
  target: boolean;
  /** StatefulSet: `status.currentRevision`. Elsewhere equal to `target`. */
  current: boolean;
  /** A pod of any phase runs it, terminating ones included, or the controller counts it as current or target. */
  live: boolean;
  /** At least one pod that is not terminating runs it. */
  serving: boolean;
  pods: { total: number; ready: number };
  /** Its other numbers, ascending: former ones of the same object, or those of others that carry it too. */
  alsoNumbers: readonly number[];
  /** id of an earlier revision with a semantically equal template (upgrade twins, copies). */
  duplicateOf: string | null;
  /** Another revision shares the number. */
  sharesNumber: boolean;
  /** Created before a revision with a lower number: the object was reused. */
  reactivated: boolean;
  changeCause: string | null;
  /** Number of the revision whose cause this one merely repeats. */
  causeInheritedFrom: number | null;
  /** Differs from the revision before only by a restart. */
  restart: boolean;
  createdAt: string;
  /** Oldest first. Empty where unknown. */
  activations: readonly Activation[];
  /** What happened to the number, as text; null when it never changed. */
  explanation: string | null;
  /** The revisionHistoryLimit deletes it as soon as one more revision is recorded. */
  prunedNext: boolean;
}

export interface RevisionHistory {
  /** Newest first: number, creation time, name (spec order of SortControllerRevisions, reversed). */
  revisions: readonly Revision[];
  /** Null while no source object records the current template (pending). */
  target: Revision | null;
  /** Source objects that match the selector and belong to no controller. */
  orphans: readonly RevisionSource[];
  /** Numbers that must have existed and are pruned. */
  gaps: readonly number[];
  /** Warnings about this history: shared numbers, unreadable numbers, relabelled pods. */
  warnings: readonly string[];
  /** The target is only assumed: nothing but the order of the revisions points to it. */
  targetAssumed?: true;
  /** No running pod could be matched with a revision: whether one that is not live is live is unknown. */
  livenessUnknown?: true;
  /** Objects that the workload's controller keeps besides its revisions and that are none, newest first. */
  stored?: readonly RevisionSource[];
  /** Revision of each pod by pod uid; a pod whose revision is pruned is absent. */
  revisionOfPod: ReadonlyMap<string, Revision>;
}

/** The name of a revision in a sentence: its number, or its object's name when it has none. */
export function formatRevision(revision: Pick<Revision, 'number' | 'name'>): string {
  return revision.number === null ? revision.name : String(revision.number);
}
