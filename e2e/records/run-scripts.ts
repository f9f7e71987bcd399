import type { ScriptStep, WorkloadScript } from '@/e2e/records/script-steps';
import { HOUR, type VirtualSandbox } from '@/e2e/records/virtual-sandbox';
import { type ObservedRollout, GroundTruth } from '@/e2e/records/ground-truth';

/** A scripted rollout as it ran. */
export interface ScriptedRollout {
  readonly step: ScriptStep;
  readonly observed: ObservedRollout;
}

/** One incarnation of a scripted workload, its rollouts in order. */
export interface ScriptedIncarnation {
  readonly script: WorkloadScript;
  readonly rollouts: ScriptedRollout[];
  /** Milliseconds since the epoch; null while it exists. */
  endedAt: number | null;
}

interface TimedAction {
  readonly at: number;
  readonly happen: () => Promise<void>;
}

/** An action besides the scripts, at an hour of the month. */
interface ExtraAction {
  readonly at: number;
  readonly happen: () => Promise<void>;
}

/** Runs scripts side by side up to an hour of the month; resolves to what has happened. */
export async function runScripts(
  sandbox: VirtualSandbox,
  scripts: readonly WorkloadScript[],
  extraActions: readonly ExtraAction[],
  end: number,
): Promise<{ incarnations: readonly ScriptedIncarnation[]; truth: GroundTruth }> {
  const truth = new GroundTruth(sandbox, scripts);
  sandbox.onMoment = () => truth.observe();
  const incarnations: ScriptedIncarnation[] = [];
  const actions: TimedAction[] = scripts.flatMap((script) =>
    script.steps.flatMap((step) => timedActionsOf(sandbox, truth, incarnations, script, step)),
  );
  const inOrder = [...actions, ...extraActions].filter(({ at }) => at < end).sort((a, b) => a.at - b.at);
  for (const { at, happen } of inOrder) {
    await sandbox.advanceTo(at * HOUR);
    await happen();
  }
  await sandbox.advanceTo(end * HOUR);
  return { incarnations, truth };
}

function timedActionsOf(
  sandbox: VirtualSandbox,
  truth: GroundTruth,
  incarnations: ScriptedIncarnation[],
  script: WorkloadScript,
  step: ScriptStep,
): TimedAction[] {
  const { at, act, rollout } = step;
  const currentIncarnation = () => incarnations.findLast((incarnation) => incarnation.script === script);
  const begin = () => {
    if (rollout !== null) currentIncarnation()?.rollouts.push({ step, observed: truth.beginRollout(script) });
  };
  const happen = async () => {
    if (step.isCreation === true) incarnations.push({ script, rollouts: [], endedAt: null });
    const incarnation = currentIncarnation();
    if (step.isEnd === true && incarnation !== undefined) incarnation.endedAt = sandbox.clock.now();
    if (rollout?.begins === undefined) begin();
    await act(sandbox, script);
  };
  if (rollout?.begins === undefined) return [{ at, happen }];
  // Sorted after the action that makes it begin, but at the same time.
  return [
    { at, happen },
    { at: rollout.begins, happen: () => Promise.resolve(begin()) },
  ];
}
