/*
 * A rollout of any system, as pages and scripts see it. Whatever a system lacks is null or empty; whatever only one has is
 * said in words (`notes`, `consequence`) or stands among `beside`. Times are RFC 3339 and null where nothing proves them.
 */

/**
 * `idle`: no release so far. `waiting`: a person has to act. `progressing`: it goes on by itself, if only after some time.
 * `missing`: the workload is not there. `stalled`: its pods are blocked, or no controller works on it.
 */
export const rolloutStates = [
  'idle',
  'starting',
  'progressing',
  'waiting',
  'paused',
  'stalled',
  'completing',
  'completed',
  'rollingBack',
  'rolledBack',
  'failed',
  'disabling',
  'disabled',
  'terminating',
  'missing',
  'unknown',
] as const;
export type RolloutState = (typeof rolloutStates)[number];

export const rolloutStyles = ['canary', 'partition', 'blueGreen', 'batch', 'unknown'] as const;
export type RolloutStyle = (typeof rolloutStyles)[number];

/** `planned`: ahead. `approved`: its wait is over. `abandoned`: the release ended in it. */
export const stepStates = [
  'planned',
  'starting',
  'upgrading',
  'routing',
  'analysing',
  'waiting',
  'pausing',
  'approved',
  'done',
  'skipped',
  'abandoned',
  'failed',
  'unknown',
] as const;
export type StepState = (typeof stepStates)[number];

export const rolloutActionNames = [
  'approve',
  'jump',
  'pause',
  'resume',
  'disable',
  'enable',
  'promoteFull',
  'abort',
  'retry',
  'restart',
  'rollback',
  'delete',
] as const;
export type RolloutActionName = (typeof rolloutActionNames)[number];

/** What has to happen before it goes on; `text` is a sentence. */
export type Wait =
  | {
      kind: 'approval' | 'traffic' | 'analysis' | 'resume' | 'workload' | 'controller' | 'cleanup';
      text: string;
    }
  | { kind: 'time'; text: string; seconds: number; until: string | null }
  | { kind: 'pods'; text: string; missing: number | null };

export type StepPause = { kind: 'none' } | { kind: 'approval' } | { kind: 'time'; seconds: number };

export type Traffic = { kind: 'weight'; percent: number } | { kind: 'matches'; rules: readonly string[] };

/** A revision as the system names it, and the one of the workload's history that it is. */
export interface ReleaseRevision {
  /** The system's own word for it: a hash or a name. */
  hash: string | null;
  /** Null while no source object of the workload carries it. */
  id: string | null;
  number: number | null;
  name: string | null;
  /** The workload asks for it, and nothing has recorded it so far. */
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
  /** Why it won't become ready by itself; null where nothing says so. */
  blocked: string | null;
  /** Of the workload, by number; null where it has none. */
  revision: number | null;
  revisionId: string | null;
}

export interface RolloutStep {
  /** Counts from 1. */
  index: number;
  state: StepState;
  /** What it does, where that is more than pods and traffic: "waits 60 seconds". */
  does: string | null;
  /** Since when the step is in this state. */
  since: string | null;
  replicas: {
    /** Pods of the new revision that there are to be after this step. Null: not known. */
    planned: number | null;
    /** The plan in the system's words: `20%`, `3`. */
    asked: string | null;
    updated: number | null;
    ready: number | null;
  };
  /** Evidence says what `actual` is known from. */
  traffic: { planned: Traffic | null; actual: Traffic | null; evidence: string | null };
  pause: StepPause | null;
  startedAt: string | null;
  /** When its pods were all there and ready. */
  readyAt: string | null;
  waitsFor: Wait | null;
  pods: readonly RolloutPod[];
}

/** Another object of the system that takes part in the release. */
export interface BesideSummary {
  resource: string;
  kind: string;
  name: string;
  phase: string | null;
  message: string | null;
}

export interface RolloutAction {
  name: RolloutActionName;
  allowed: boolean;
  /** Why it can't be done now. */
  reason: string | null;
  /** The same can be done with the workload: a rollback of that. Absent: it can't. */
  instead?: 'workload';
  /** What one should know before. */
  consequence: string | null;
  /** The steps that may be named with it; null where it takes none. */
  steps: readonly number[] | null;
  /** Of a deletion that may take back what was done: whether it does so as things stand. Absent: it can't. */
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

export interface Rollout {
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
  /** Of the state, for people. */
  message: string;
  /** What the system itself says; it may lag behind. */
  reported: { message: string | null; stepState: string | null; conditions: readonly RolloutCondition[] };
  since: string | null;
  style: RolloutStyle;
  paused: boolean;
  disabled: boolean;
  /** `index` 0: none has begun. `next` is set where the system will go to another step than the following one. */
  step: { index: number; total: number; state: StepState | null; next: number | null };
  waitsFor: Wait | null;
  /** Of one release; the system's id for it. */
  release: { id: string | null; startedAt: string | null };
  revisions: { stable: ReleaseRevision | null; updated: ReleaseRevision | null };
  /** Where to compare the two, where they are not revisions of the workload. Absent: they are. */
  comparison?: RevisionComparison | null;
  replicas: { desired: number | null; updated: number | null; ready: number | null };
  /** Whether new pods take the place of stable ones. Absent: as the style has it. */
  replacesPods?: boolean;
  /** Workloads of the namespace that the stable pods are of. Absent: they are of the workload. */
  sources?: readonly { resource: string; name: string }[];
  /** What the plan says that steps do not tell, in sentences. Absent: nothing. */
  plan?: readonly string[];
  steps: readonly RolloutStep[];
  /** Of the new revision, in no step that can be told. */
  unassignedPods: readonly RolloutPod[];
  /** Workloads that the system made for the release, such as a canary Deployment. */
  auxiliaries: readonly { resource: string; name: string }[];
  routes: readonly { kind: string; name: string }[];
  beside: readonly BesideSummary[];
  /** Sentences about what is odd. */
  notes: readonly string[];
  actions: readonly RolloutAction[];
}
