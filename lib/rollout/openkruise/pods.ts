import { BATCH_ID, ROLLOUT_ID } from '@/lib/rollout/openkruise/resources';
import { isUpdated, type KruiseRevisions } from '@/lib/rollout/openkruise/revisions';
import type { KruiseContext } from '@/lib/rollout/openkruise/context';
import { comparePodNames, podRow, type StepPods } from '@/lib/rollout/common-shape';
import type { RolloutPod } from '@/lib/api/rollouts';
import type { RolloutFacts } from '@/lib/rollout/rollout-facts';
import type { PodSummary } from '@/lib/history/pod';

/**
 * The pods that each step added. A pod belongs to a step if it runs the revision of the rollout and
 * OpenKruise has labeled it with this rollout and that batch; labels outlive the rollout, and an id may be
 * used again, so each alone proves nothing. Ending pods belong to none.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/batchrelease/labelpatch/patcher.go
 */
export function findKruisePods(context: KruiseContext, revisions: KruiseRevisions): StepPods {
  const bySteps = new Map<number, RolloutPod[]>();
  const unassigned: RolloutPod[] = [];
  if (context.stage === 'idle' || context.stage === 'initial') return { bySteps, unassigned };
  const owners = context.facts === null ? context.auxiliaries : [context.facts, ...context.auxiliaries];
  const knownUids = new Set<string>();
  for (const facts of owners) {
    for (const pod of facts.pods) {
      if (knownUids.has(pod.uid) || pod.deletedAt !== null || hasFinished(pod)) continue;
      if (!isUpdated(pod, facts, context, revisions)) continue;
      knownUids.add(pod.uid);
      const step = stepOf(pod, context);
      const row = rowOf(pod, facts, context);
      const pods = step === null ? unassigned : (bySteps.get(step) ?? []);
      pods.push(row);
      if (step !== null) bySteps.set(step, pods);
    }
  }
  for (const pods of bySteps.values()) pods.sort(comparePodNames);
  return { bySteps, unassigned: unassigned.sort(comparePodNames) };
}

/** Null where no label of this rollout names the step, or names one that does not exist or has not begun. */
function stepOf({ metadataValues }: PodSummary, { progress, stage, total }: KruiseContext): number | null {
  const batch = metadataValues?.[BATCH_ID];
  if (progress?.rolloutId == null || metadataValues?.[ROLLOUT_ID] !== progress.rolloutId) return null;
  if (batch === undefined || !/^[1-9]\d{0,4}$/.test(batch)) return null;
  const index = Number(batch);
  const reached = stage === 'inStep' || stage === 'paused' ? Math.min(progress.stepIndex, total) : total;
  return index <= reached ? index : null;
}

function rowOf(pod: PodSummary, { history }: RolloutFacts, { facts }: KruiseContext): RolloutPod {
  const revision = history.revisionOfPod.get(pod.uid);
  // A canary Deployment has separate revision numbers, without meaning for the workload.
  const isOwn = facts?.history === history;
  return podRow(pod, isOwn ? (revision ?? null) : null);
}

function hasFinished({ phase }: PodSummary): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}
