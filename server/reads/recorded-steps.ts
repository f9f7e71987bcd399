import 'server-only';
import type { Answer } from '@/lib/api/common';
import type { rolloutSummarySchema } from '@/lib/api/records';
import type { RolloutPod, RolloutStep } from '@/lib/api/rollouts';
import type { RolloutRecord, RecordedStep } from '@/lib/api/record';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import { queryArchive } from '@/server/views/query-archive';
import type { ReadContext } from '@/server/views/context';
import type { RolloutView } from '@/server/views/rollout-view';

/** Of a rollout that has begun, the record has what its system retains only during a step, or never. */
export async function withRecordedSteps(
  context: ReadContext,
  view: RolloutView,
  summary: Pick<Answer<typeof rolloutSummarySchema>, 'id'> | null,
): Promise<RolloutView> {
  if (view.rollout.steps.length === 0) return view;
  if (summary === null) return unrecorded(view);
  const { answer } = await queryArchive(context, null, (archive) => archive.rollouts.byId(summary.id));
  if (answer === null || !isOfRollout(answer.record, view.rollout)) return unrecorded(view);
  const stoppedIn = stoppedStepOf(answer.record, view.rollout);
  const rollout = stoppedIn === null ? view.rollout : stoppedAt(view.rollout, stoppedIn);
  return { ...view, rollout: recordedRollout(rollout, answer.record) };
}

/**
 * Where a person may skip steps, no system stores which of the previous ones ran: without a record only the pods of a
 * step prove it.
 */
function unrecorded(view: RolloutView): RolloutView {
  const { rollout } = view;
  const mayHaveSkipped = rollout.actions.some(
    ({ name }) => name === 'jump' || (name === 'promoteFull' && rollout.state === 'completed'),
  );
  if (!mayHaveSkipped) return view;
  const steps = rollout.steps.map((step) =>
    step.state === 'done' && step.pods.length === 0
      ? { ...withoutPods(step), state: 'unknown' as const }
      : step,
  );
  return { ...view, rollout: { ...rollout, steps } };
}

/** An id may be reused, so the revision has to be the same as well. */
function isOfRollout(
  { progressiveRollout, to }: RolloutRecord,
  { uid, state, run: { id }, revisions }: ProgressiveRollout,
): boolean {
  if (progressiveRollout?.uid !== uid || progressiveRollout.id !== id) return false;
  // A rollout that is reverted has the restored revision in the place of the new one.
  if (state === 'rollingBack' || state === 'rolledBack') return true;
  const updated = revisions.updated?.id ?? null;
  return updated === null || to.id === null || to.id === updated;
}

/** When its steps began, which of them never ran, and which of the existing pods each of them started. */
function recordedRollout(rollout: ProgressiveRollout, { steps }: RolloutRecord): ProgressiveRollout {
  const recorded = new Map(steps.map((step) => [step.index, step]));
  const stepOfPod = new Map(steps.flatMap(({ index, pods }) => pods.map(({ uid }) => [uid, index] as const)));
  const addedPods = Map.groupBy(rollout.unassignedPods, ({ uid }) => stepOfPod.get(uid) ?? null);
  return {
    ...rollout,
    unassignedPods: addedPods.get(null) ?? [],
    steps: rollout.steps.map((step) =>
      recordedStep(rollout, step, recorded.get(step.index), addedPods.get(step.index) ?? []),
    ),
  };
}

function recordedStep(
  { state, step: { index: current } }: ProgressiveRollout,
  step: RolloutStep,
  recorded: RecordedStep | undefined,
  addedPods: readonly RolloutPod[],
): RolloutStep {
  if (recorded === undefined) return step;
  // An abort closes the record; after a retry the steps to come are planned again.
  const isToCome = step.index > current && isAdvancing(state);
  const isOver = step.state === 'done' || (step.state === 'planned' && !isToCome);
  if (isOver && recorded.state === 'skipped') return { ...withoutPods(step), state: 'skipped' };
  const pods = [...step.pods, ...addedPods].sort((a, b) => (a.name < b.name ? -1 : 1));
  const startedAt = step.state === 'planned' ? null : (step.startedAt ?? recorded.startedAt);
  return { ...step, startedAt, pods };
}

/** Whether the steps after the current one are still to run. */
function isAdvancing(state: ProgressiveRollout['state']): boolean {
  return (
    state === 'starting' ||
    state === 'progressing' ||
    state === 'waiting' ||
    state === 'paused' ||
    state === 'stalled'
  );
}

function withoutPods(step: RolloutStep): RolloutStep {
  return { ...step, replicas: { ...step.replicas, updated: null, ready: null } };
}

/**
 * The step at which a rollout stopped, from its record, where the system does not store that: an abort may reset the
 * index of the step to the first one. Null where the cluster has it, or the archive does not.
 */
function stoppedStepOf({ steps }: Pick<RolloutRecord, 'steps'>, rollout: ProgressiveRollout): number | null {
  if (!isStepUnknown(rollout)) return null;
  return steps.findLast(({ state }) => state === 'running' || state === 'abandoned')?.index ?? null;
}

function isStepUnknown({ state, step, steps }: ProgressiveRollout): boolean {
  if (state !== 'failed' && state !== 'rollingBack') return false;
  return step.index === 0 && steps.every((each) => each.state === 'planned');
}

function stoppedAt(rollout: ProgressiveRollout, stoppedIn: number): ProgressiveRollout {
  return {
    ...rollout,
    steps: rollout.steps.map((step) => {
      if (step.index > stoppedIn) return step;
      return { ...step, state: step.index === stoppedIn ? 'abandoned' : 'done' };
    }),
  };
}
