import { findPreviousControllerRevision } from '@/lib/workloads/controller-revisions';
import type { WorkloadKind, WorkloadSettings } from '@/lib/workloads/kind';
import {
  planKruisePartition,
  planKruisePause,
  planKruiseRestart,
  planKruiseResume,
} from '@/lib/workloads/kruise/controls';
import type { KruiseRules } from '@/lib/workloads/kruise/rules';
import type { Revision } from '@/lib/history/revision';
import type { PodSummary } from '@/lib/history/pod';
import type { Workload } from '@/lib/history/workload';
import { objectIn, textAt } from '@/lib/kube/read';

/** What every kind of OpenKruise answers alike, by its rules. */
export function kruiseKind(rules: KruiseRules) {
  return {
    resource: rules.resource,
    pods: { owner: 'workload', metadataKeys: [STATE], revisionAppliedAt: updatedInPlaceAt },
    settings: (workload) => ({
      desiredPods: rules.desiredOf(workload),
      isPaused: rules.rollingOf(workload).isPaused,
      partition: partitionSetting(rules, workload),
      strategy: rules.describeStrategy(workload),
    }),
    previous: findPreviousControllerRevision,
  } satisfies Partial<WorkloadKind>;
}

function partitionSetting(
  rules: KruiseRules,
  workload: Workload,
): NonNullable<WorkloadSettings['partition']> {
  const { partition } = rules.rollingOf(workload);
  const kept = { keeps: rules.partitionKeeps(workload), value: rules.partitionOf(workload) };
  if (kept.value === 0 || typeof partition !== 'string' || !/^\d{1,3}%$/.test(partition)) return kept;
  return { ...kept, percent: partition };
}

export function kruiseWrites(rules: KruiseRules) {
  return {
    pause: (input) => planKruisePause(rules, input),
    resume: (input) => planKruiseResume(rules, input),
    restart: (input) => planKruiseRestart(rules, input),
    partition: (input) => planKruisePartition(rules, input),
  } satisfies Partial<WorkloadKind['writes']>;
}

/**
 * The controller writes it into a pod with every update in place: the revision, and the time.
 * https://openkruise.io/docs/core-concepts/inplace-update
 */
const STATE = 'apps.kruise.io/inplace-update-state';

/**
 * When a pod got a revision in place; null where its last update in place was to another one. The
 * ControllerRevision can't show it: after a rollback it is the old object with its old time.
 */
export function updatedInPlaceAt(
  { metadataValues }: PodSummary,
  { name }: Pick<Revision, 'name'>,
): string | null {
  const state = objectIn(metadataValues?.[STATE]);
  const revision = textAt(state, 'revision');
  if (revision === undefined || (revision !== name && !name.endsWith(`-${revision}`))) return null;
  return textAt(state, 'updateTimestamp') ?? null;
}
