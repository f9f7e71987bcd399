import { type RolloutActionName } from '@/lib/api/action-values';
import { type StepPause, type Traffic } from '@/lib/api/rollout-fields';
import { type RolloutState, type RolloutStyle, type StepState } from '@/lib/api/rollout-values';

/*
 * A rollout of any system, as pages and scripts see it. What a system lacks is null or empty; what only one
 * has is described in text (`notes`, `consequence`) or listed in `beside`. Times are RFC 3339 and null where
 * nothing proves them.
 */

/** The condition under which it continues; `text` is a sentence. */
export type Wait =
  | {
      kind: 'approval' | 'traffic' | 'analysis' | 'resume' | 'workload' | 'controller' | 'cleanup';
      text: string;
    }
  | { kind: 'time'; text: string; seconds: number; until: string | null }
  | { kind: 'pods'; text: string; missing: number | null };

/** A revision as the system names it, and the one of the workload's history that it is. */
export interface ReleaseRevision {
  /** The system's own name for it: a hash or a name. */
  hash: string | null;
  /** Null while no source object of the workload carries it. */
  id: string | null;
  number: number | null;
  name: string | null;
  /** The workload desires it, and no revision of it is recorded so far. */
  pending: boolean;
  images: readonly { container: string; image: string }[];
}

/** Two revisions of a history in the namespace of the rollout. */
export interface RevisionComparison {
  resource: string;
  name: string;
  from: string;
  to: string;
}

export interface RolloutPod {
  uid: string;
  name: string;
  ip: string | null;
  node: string | null;
  phase: string;
  ready: boolean;
  readyAt: string | null;
  createdAt: string;
  restarts: number;
  /** Why it won't become ready by itself; null where no reason is known. */
  blocked: string | null;
  /** Of the workload, by number; null where it has none. */
  revision: number | null;
  revisionId: string | null;
}

export interface RolloutStep {
  /** Counts from 1. */
  index: number;
  state: StepState;
  /** Its action, where that is more than pods and traffic: "waits 60 seconds". */
  does: string | null;
  /** Start of this state of the step. */
  since: string | null;
  replicas: {
    /** Desired pods of the new revision after this step. Null: not known. */
    planned: number | null;
    /** The plan in the system's terms: `20%`, `3`. */
    asked: string | null;
    updated: number | null;
    ready: number | null;
  };
  /** `evidence` names the source of `actual`. */
  traffic: { planned: Traffic | null; actual: Traffic | null; evidence: string | null };
  pause: StepPause | null;
  startedAt: string | null;
  /** When all its pods were ready. */
  readyAt: string | null;
  waitsFor: Wait | null;
  pods: readonly RolloutPod[];
}

/** Another object of the system that takes part in the release. */
export interface RelatedObjectSummary {
  resource: string;
  kind: string;
  name: string;
  phase: string | null;
  message: string | null;
}

export interface RolloutAction {
  name: RolloutActionName;
  allowed: boolean;
  /** Why it is not possible now. */
  reason: string | null;
  /** A rollback of the workload has the same effect. Absent: it has not. */
  instead?: 'workload';
  /** What the viewer should know beforehand. */
  consequence: string | null;
  /** The steps that can be chosen; null where it takes none. */
  steps: readonly number[] | null;
  /** Of a deletion that may revert the changes: whether it currently does. Absent: it can't. */
  revert?: boolean;
}

export interface RolloutCondition {
  type: string;
  status: string;
  reason: string | null;
  message: string | null;
  lastTransitionTime: string | null;
  lastUpdateTime: string | null;
}

export interface ProgressiveRollout {
  /** `openkruise`, `argo`, `flagger` */
  system: string;
  resource: string;
  namespace: string;
  name: string;
  uid: string;
  createdAt: string;
  deletedAt: string | null;
  workload: {
    /** Null for a kind that Shiplog does not know. */
    resource: string | null;
    apiVersion: string;
    kind: string;
    name: string;
    state: 'found' | 'missing' | 'unknown';
  };
  state: RolloutState;
  /** The system's own word. */
  phase: string;
  /** Of the state, for display. */
  message: string;
  /** The system's own message; it may lag behind. */
  reported: { message: string | null; stepState: string | null; conditions: readonly RolloutCondition[] };
  since: string | null;
  style: RolloutStyle;
  paused: boolean;
  disabled: boolean;
  /**
   * `index` 0: none has begun. `next` is set where the system continues with another step than the following
   * one.
   */
  step: { index: number; total: number; state: StepState | null; next: number | null };
  waitsFor: Wait | null;
  /** The system's id of one release. */
  release: { id: string | null; startedAt: string | null };
  revisions: { stable: ReleaseRevision | null; updated: ReleaseRevision | null };
  /** Where to compare the two, where they are not revisions of the workload. Absent: they are. */
  comparison?: RevisionComparison | null;
  replicas: { desired: number | null; updated: number | null; ready: number | null };
  /** Whether new pods replace stable ones. Absent: as the style implies. */
  replacesPods?: boolean;
  /** Workloads of the namespace that own the stable pods. Absent: the workload does. */
  sources?: readonly { resource: string; name: string }[];
  /** What the plan contains apart from steps, in sentences. Absent: nothing. */
  plan?: readonly string[];
  steps: readonly RolloutStep[];
  /** Of the new revision, in no known step. */
  unassignedPods: readonly RolloutPod[];
  /** Workloads that the system created for the release, such as a canary Deployment. */
  auxiliaries: readonly { resource: string; name: string }[];
  routes: readonly { kind: string; name: string }[];
  beside: readonly RelatedObjectSummary[];
  /** Sentences about what is unusual. */
  notes: readonly string[];
  actions: readonly RolloutAction[];
}
