import type { WorkloadState } from '@/lib/api/workload-values';
import type { Blocker } from '@/lib/api/pods';
import type { Evidence } from '@/lib/engine/evidence';
import type { StateReason } from '@/lib/engine/reasons';
import type { Report, WorkloadFacts } from '@/lib/engine/facts';
import { blockedSince, STUCK_AFTER_MS } from '@/lib/pods/blockers';

/** What the table decides about a workload. */
export interface Verdict {
  state: WorkloadState;
  reason: StateReason;
  /** Start of the state, RFC 3339, where the cluster proves it. */
  since: string | null;
  /** Worst first. */
  blockers: readonly Blocker[];
}

interface Row {
  reason: StateReason;
  state: WorkloadState | ((facts: WorkloadFacts) => WorkloadState);
  /** As docs/states.md says it. */
  when: string;
  /** Reads what pods prove last: most workloads are decided without it. */
  applies: (facts: WorkloadFacts, evidence: Evidence) => boolean;
  /** Default: unknown. */
  since?: (facts: WorkloadFacts, evidence: Evidence) => string | null;
  /** Default: none. */
  blockers?: (evidence: Evidence) => readonly Blocker[];
  source: string;
}

/** A controller observes an edit within a second or two; one that takes this long is overloaded, or does not run. */
const OBSERVED_WITHIN_MS = 30_000;

const REPORTED: Readonly<Record<Report['says'], WorkloadState>> = {
  failing: 'degraded',
  stopped: 'stuck',
  suspended: 'held',
  working: 'rolling',
  done: 'complete',
  unclear: 'unknown',
};

const POD_LIFECYCLE = 'https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/';
const ROLLOUT_STATUS =
  'https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/rollout_status.go';
const API_CONVENTIONS =
  'https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md';

/** Every state of a workload without its progressive rollout, for all kinds: the first row that applies. */
export const stateTable: readonly Row[] = [
  {
    reason: 'deleting',
    state: 'unknown',
    when: 'The object is being deleted.',
    applies: ({ deletedSince }) => deletedSince !== undefined,
    since: ({ deletedSince = null }) => deletedSince,
    source: API_CONVENTIONS,
  },
  {
    reason: 'unobserved',
    state: 'rolling',
    when: `The controller has not observed the last edit, which is less than ${OBSERVED_WITHIN_MS / 1_000} seconds old.`,
    applies: (facts) => !facts.isObserved && !isLongUnobserved(facts),
    since: editedAt,
    source: API_CONVENTIONS,
  },
  {
    reason: 'unobservedLong',
    state: 'unknown',
    when: 'The controller has not observed the last edit for longer.',
    applies: ({ isObserved }) => !isObserved,
    source: API_CONVENTIONS,
  },
  {
    reason: 'reported',
    state: ({ report }) => (report === null ? 'unknown' : REPORTED[report.says]),
    when: 'The controller reports a phase, or its objects show what no count does.',
    applies: ({ report }) => report !== null,
    since: ({ report }) => report?.since ?? null,
    blockers: ({ blocked }) => blocked,
    source: 'the controller of the kind',
  },
  {
    reason: 'scaledDown',
    state: 'complete',
    when: 'No pod is desired, and none is left.',
    applies: ({ isScaledDown }) => isScaledDown,
    source: ROLLOUT_STATUS,
  },
  {
    reason: 'blockedWhileMoved',
    state: 'stuck',
    when: 'A progressive rollout moves the pods, and the pods of the target cannot become ready.',
    applies: ({ movedBy, history, failure }, evidence) =>
      movedBy?.by === 'pause' && history.target !== null && (failure !== null || evidence.lasting.length > 0),
    since: ({ failure }, { lasting }) => failure?.since ?? blockedSince(lasting),
    blockers: (evidence) => (evidence.facts.failure === null ? evidence.lasting : evidence.blocked),
    source: POD_LIFECYCLE,
  },
  {
    reason: 'moved',
    state: 'held',
    when: 'A progressive rollout moves the pods.',
    applies: ({ movedBy }, evidence) =>
      movedBy !== null &&
      (movedBy.by === 'pause' || (evidence.outdated.length > 0 && evidence.lasting.length === 0)),
    blockers: (evidence) =>
      evidence.facts.movedBy?.by === 'pause' ? evidence.blocked : evidence.targetBlocked,
    source: 'https://openkruise.io/rollouts/introduction',
  },
  {
    reason: 'paused',
    state: 'paused',
    when: 'It is paused.',
    applies: ({ pause }) => pause !== null,
    since: ({ pause }) => pause?.since ?? null,
    blockers: ({ blocked }) => blocked,
    source:
      'https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#pausing-and-resuming-a-deployment',
  },
  {
    reason: 'blockedAtDeadline',
    state: 'stuck',
    when: 'Its progress deadline is exceeded, and pods of the target are blocked or cannot be created.',
    applies: ({ deadline, failure }, evidence) =>
      deadline?.isExceeded === true && (failure !== null || evidence.targetBlocked.length > 0),
    since: ({ failure }, { targetBlocked }) => failure?.since ?? blockedSince(targetBlocked),
    blockers: (evidence) => (evidence.facts.failure === null ? evidence.targetBlocked : evidence.blocked),
    source: 'https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#failed-deployment',
  },
  {
    reason: 'deadline',
    state: 'deadlineExceeded',
    when: 'Its progress deadline is exceeded.',
    applies: ({ deadline }) => deadline?.isExceeded === true,
    since: ({ deadline }) => deadline?.since ?? null,
    blockers: ({ unready }) => unready,
    source: 'https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#failed-deployment',
  },
  {
    reason: 'pendingDeletion',
    state: 'waiting',
    when: 'The update strategy is OnDelete, and pods run another revision.',
    applies: ({ isOnDelete }, evidence) => isOnDelete && evidence.outdated.length > 0,
    blockers: ({ blocked }) => blocked,
    source: 'https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#on-delete',
  },
  {
    reason: 'held',
    state: 'held',
    when: 'Everything that may be updated is, and all are ready; a partition keeps the rest.',
    applies: ({ isFinished, hold }) => isFinished && hold !== null,
    source: 'https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#partitions',
  },
  {
    reason: 'finished',
    state: 'complete',
    when: 'All are updated, and all are ready or available.',
    applies: ({ isFinished }) => isFinished,
    since: ({ finishedAt }) => finishedAt,
    source: ROLLOUT_STATUS,
  },
  {
    reason: 'cannotChangePodsAfterwards',
    state: 'degraded',
    when: 'The controller reports that the rollout had completed, and that pods cannot be created or updated.',
    applies: ({ failure, completedBefore }) => failure !== null && completedBefore === 'reported',
    since: ({ failure }) => failure?.since ?? null,
    blockers: ({ blocked }) => blocked,
    source: POD_LIFECYCLE,
  },
  {
    reason: 'cannotChangePods',
    state: 'stuck',
    when: 'Pods cannot be created or updated, and the controller can do nothing else.',
    applies: ({ failure, canProgress }) => failure !== null && canProgress !== true,
    since: ({ failure }) => failure?.since ?? null,
    blockers: ({ blocked }) => blocked,
    source: POD_LIFECYCLE,
  },
  {
    reason: 'awaitsPod',
    state: 'stuck',
    when: 'An ordered update waits for a blocked pod of another revision, which it does not replace.',
    applies: (_, { awaited }) => awaited.length > 0,
    since: (_, { awaited }) => blockedSince(awaited),
    blockers: ({ awaited }) => awaited,
    source: 'https://github.com/kubernetes/kubernetes/issues/67250',
  },
  {
    reason: 'blockedAfterwards',
    state: 'degraded',
    when: 'The rollout had completed with pods that were ready, and pods are blocked.',
    applies: (facts, evidence) =>
      facts.completedBefore !== 'no' && evidence.lasting.length > 0 && !hasNeverRun(facts, evidence),
    since: ({ unavailableSince }, { lasting }) => unavailableSince ?? blockedSince(lasting),
    blockers: ({ lasting }) => lasting,
    source: POD_LIFECYCLE,
  },
  {
    reason: 'scaling',
    state: 'scaling',
    when: `The controller reports that the rollout had completed, and pods that an edit of the last ${STUCK_AFTER_MS / 60_000} minutes has added are starting.`,
    applies: ({ completedBefore, progress }, evidence) =>
      completedBefore === 'reported' &&
      progress.serving < progress.desired &&
      evidence.isJustEdited &&
      evidence.areNew &&
      evidence.lasting.length === 0,
    since: ({ workload }) => workload.editedAt ?? null,
    source: 'https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#scaling-a-deployment',
  },
  {
    reason: 'unreadyAfterwards',
    state: 'degraded',
    when: 'The controller reports that the rollout had completed, and pods are missing, or not ready.',
    applies: ({ completedBefore }, evidence) =>
      completedBefore === 'reported' && evidence.lasting.length === 0,
    since: ({ unavailableSince }, { blocked }) => unavailableSince ?? blockedSince(blocked),
    blockers: ({ blocked }) => blocked,
    source: ROLLOUT_STATUS,
  },
  {
    reason: 'blocked',
    state: 'stuck',
    when: 'Pods of the target are blocked, none of the others can still become ready, and the controller can do nothing else.',
    applies: ({ canProgress }, evidence) => canProgress !== true && evidence.lasting.length > 0,
    since: (_, { lasting }) => blockedSince(lasting),
    blockers: ({ lasting }) => lasting,
    source: POD_LIFECYCLE,
  },
  {
    reason: 'noRevision',
    state: 'rolling',
    when: 'No revision has the current template yet. Groups are counted without it.',
    applies: ({ history, unit }) => history.target === null && unit !== 'group',
    source: 'https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#updating-a-deployment',
  },
  {
    reason: 'updating',
    state: 'rolling',
    when: 'Anything else.',
    applies: () => true,
    since: ({ history }) => history.target?.activations.at(-1)?.from ?? null,
    blockers: ({ blocked }) => blocked,
    source: ROLLOUT_STATUS,
  },
];

/** The state of a workload without its progressive rollout. */
export function decideState(evidence: Evidence): Verdict {
  const { facts } = evidence;
  for (const row of stateTable) {
    if (!row.applies(facts, evidence)) continue;
    return {
      state: typeof row.state === 'function' ? row.state(facts) : row.state,
      reason: row.reason,
      since: row.since?.(facts, evidence) ?? null,
      blockers: row.blockers?.(evidence) ?? [],
    };
  }
  throw new Error('The last row of the table applies always.');
}

/** Its pods are all of the last edit, and none is ready: a rollout without pods had nothing to complete. */
function hasNeverRun({ history, pods }: WorkloadFacts, { areNew }: Evidence): boolean {
  return areNew && pods.length > 0 && history.target?.pods.ready === 0;
}

function editedAt({ workload }: WorkloadFacts): string {
  return workload.editedAt ?? workload.createdAt;
}

/** Without a time of the evaluation, nothing is known to be recent. */
function isLongUnobserved(facts: WorkloadFacts): boolean {
  const { now } = facts;
  return now === undefined || Date.parse(now) - Date.parse(editedAt(facts)) >= OBSERVED_WITHIN_MS;
}
