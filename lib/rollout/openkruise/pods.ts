import { BATCH_ID, ROLLOUT_ID } from '@/lib/rollout/openkruise/resources';
import { isUpdated, type ReleaseRevisions } from '@/lib/rollout/openkruise/revisions';
import { type Situation } from '@/lib/rollout/openkruise/situation';
import { podRow } from '@/lib/rollout/pod-row';
import { type RolloutPod } from '@/lib/rollout/rollout';
import { type WorkloadFacts } from '@/lib/rollout/system';
import { type PodSummary } from '@/lib/workloads/pod';

export interface ReleasePods {
  /** By the index of the step, from 1. */
  bySteps: ReadonlyMap<number, readonly RolloutPod[]>;
  /** Of the new revision, in no step that can be told. */
  unassigned: readonly RolloutPod[];
}

/**
 * The pods that each step brought. A pod belongs to a step if it runs the revision of the release and OpenKruise has
 * labelled it with this release and that batch; labels outlive the release, and an id may be used again, so each alone proves
 * nothing. Pods on their way out belong to none.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/batchrelease/labelpatch/patcher.go
 */
export function podsOfRelease(situation: Situation, revisions: ReleaseRevisions): ReleasePods {
  const bySteps = new Map<number, RolloutPod[]>();
  const unassigned: RolloutPod[] = [];
  if (situation.stage === 'idle' || situation.stage === 'initial') return { bySteps, unassigned };
  const owners =
    situation.facts === null ? situation.auxiliaries : [situation.facts, ...situation.auxiliaries];
  const seen = new Set<string>();
  for (const facts of owners) {
    for (const pod of facts.pods) {
      if (seen.has(pod.uid) || pod.deletedAt !== null || hasFinished(pod)) continue;
      if (!isUpdated(pod, facts, situation, revisions)) continue;
      seen.add(pod.uid);
      const step = stepOf(pod, situation);
      const row = rowOf(pod, facts, situation);
      const pods = step === null ? unassigned : (bySteps.get(step) ?? []);
      pods.push(row);
      if (step !== null) bySteps.set(step, pods);
    }
  }
  for (const pods of bySteps.values()) pods.sort(byName);
  return { bySteps, unassigned: unassigned.sort(byName) };
}

/** Null where no label of this release tells, or where it names a step that there is not, or that has not begun. */
function stepOf({ marks }: PodSummary, { progress, stage, total }: Situation): number | null {
  const batch = marks?.[BATCH_ID];
  if (progress?.rolloutId == null || marks?.[ROLLOUT_ID] !== progress.rolloutId) return null;
  if (batch === undefined || !/^[1-9]\d{0,4}$/.test(batch)) return null;
  const index = Number(batch);
  const reached = stage === 'inStep' || stage === 'paused' ? Math.min(progress.stepIndex, total) : total;
  return index <= reached ? index : null;
}

function rowOf(pod: PodSummary, { history }: WorkloadFacts, { facts }: Situation): RolloutPod {
  const revision = history.revisionOfPod.get(pod.uid);
  // A canary Deployment counts its revisions by itself: its numbers mean nothing to the workload.
  const isOwn = facts?.history === history;
  return podRow(pod, isOwn ? (revision ?? null) : null);
}

function hasFinished({ phase }: PodSummary): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

function byName(a: RolloutPod, b: RolloutPod): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
