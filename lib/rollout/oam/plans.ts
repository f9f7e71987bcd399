import { type JsonObject } from '@/lib/kube/json';
import { mayRevert, type OamActionName, oamActionNames } from '@/lib/rollout/oam/actions';
import { type OamRollout } from '@/lib/rollout/oam/parse';
import { oamRollouts } from '@/lib/rollout/oam/resources';
import { sourceNameOf, stableWord, targetNameOf, updatedWord } from '@/lib/rollout/oam/revisions';
import { isWaiting, type Situation, situationOf } from '@/lib/rollout/oam/situation';
import { type RolloutAction, type RolloutActionName } from '@/lib/rollout/rollout';
import {
  type RolloutAsk,
  type RolloutGoal,
  type RolloutInput,
  type RolloutPlanned,
} from '@/lib/rollout/system';
import { kubectlLine } from '@/lib/workloads/patch';
import { type Finding, type NeededRight, type Plan, type PlannedWrite } from '@/lib/workloads/plan';
import { resourcePath } from '@/lib/workloads/resource';
import { count } from '@/lib/workloads/words';

interface Draft {
  /** What is set, without the precondition; null for a deletion. */
  change: JsonObject | null;
  title: string;
  steps: string[];
  stays: string[];
  goal: RolloutGoal;
}

interface Asked {
  situation: Situation;
  ask: RolloutAsk;
}

/**
 * Plans an action on a Rollout as it is at this moment: a merge patch of its plan or its target, with the resourceVersion that was
 * read, so that it can't reach another batch. The partition only ever goes up, which is what the design has a webhook for and
 * no release does. `actions` are those of the Rollout.
 */
export function planAction(
  input: RolloutInput<OamRollout>,
  ask: RolloutAsk,
  actions: readonly RolloutAction[],
): RolloutPlanned {
  const action = actions.find(({ name }) => name === ask.action);
  if (action === undefined || !isKnown(ask.action)) return refused('A Rollout of OAM knows no such action.');
  if (!action.allowed) return refused(action.reason ?? 'It can’t be done now.');
  const situation = situationOf(input);
  const misfit = refuseParameters(situation, ask, action);
  if (misfit !== null) return misfit;
  const draft = DRAFTS[ask.action]({ situation, ask });
  const findings = findingsOf(ask.action, ask.action === 'delete' ? null : action.consequence);
  return { kind: 'write', plan: planOf(situation, ask, draft), goal: draft.goal, findings };
}

/** The right to what the action writes, which is always the Rollout. */
export function rightOf(
  { namespace, name }: Pick<OamRollout, 'namespace' | 'name'>,
  action: RolloutActionName,
): NeededRight {
  const { group, plural: resource } = oamRollouts;
  return { verb: action === 'delete' ? 'delete' : 'patch', group, resource, namespace, name };
}

const DRAFTS: Readonly<Record<OamActionName, (asked: Asked) => Draft>> = {
  approve: draftApproval,
  pause: ({ situation: { rollout, index, batches } }) => ({
    change: plan({ paused: true }),
    title: `Pause ${rollout.name}`,
    steps: [
      index === 0
        ? 'It pauses as soon as its batches begin.'
        : `Batch ${index} of ${batches.length} stops before its next sub-step.`,
    ],
    stays: ['Pods that were asked for already still start or end.'],
    goal: { until: 'written' },
  }),
  resume: ({ situation }) => ({
    change: plan({ paused: false }),
    title: `Resume ${situation.rollout.name}`,
    steps: [
      situation.index === 0
        ? 'Its batches begin.'
        : isWaiting(situation)
          ? `Batch ${situation.index} of ${situation.batches.length} is done.`
          : `It goes on in batch ${situation.index} of ${situation.batches.length}.`,
    ],
    stays: ['A batch that is not approved goes on waiting for that.'],
    goal: { until: 'written' },
  }),
  rollback: draftRollback,
  delete: draftDeletion,
};

/** Up to the next batch, or up to the one that is asked for. */
function draftApproval({ situation, ask }: Asked): Draft {
  const { rollout, index, batches, goals } = situation;
  const upTo = ask.step ?? index + 1;
  const goal = goals[upTo - 1] ?? null;
  const before = goals[index - 1] ?? 0;
  const pods = goal === null ? '' : `: ${before} → ${count(goal, 'pod')} of ${updatedWord(situation)}`;
  return {
    change: plan({ [rollout.partitionMember]: upTo - 1 }),
    title: `Go on to batch ${upTo} of ${batches.length}`,
    steps: [
      upTo === index + 1 ? `Batch ${upTo} runs${pods}.` : `Batches ${index + 1} to ${upTo} run${pods}.`,
      upTo === batches.length
        ? `It is the last one: ${updatedWord(situation)} has then taken over.`
        : 'Then it waits for approval again.',
    ],
    stays: ['Batches that are done, and the target, stay as they are.'],
    goal: { until: 'step', from: index, to: upTo === batches.length ? null : upTo, release: rollout.target },
  };
}

function draftRollback({ situation }: Asked): Draft {
  const { rollout, batches } = situation;
  const source = sourceNameOf(situation) ?? '';
  const { partition } = rollout.plan;
  const isHeld = partition !== undefined && partition < batches.length - 1;
  return {
    change: { spec: retargeted(situation, source) },
    title: `Roll ${rollout.name} back to ${stableWord(situation)}`,
    steps: [
      `What is half done is settled, then ${stableWord(situation)} takes over from ${updatedWord(situation)} in ${batches.length === 1 ? 'one batch' : `${batches.length} batches`}.`,
    ],
    stays: [
      isHeld
        ? `The plan stays: after batch ${partition + 1} it waits for approval.`
        : 'The plan stays as it is.',
    ],
    goal: { until: 'step', from: 0, to: isHeld ? partition + 1 : null, release: source },
  };
}

/** In the fields that the spec has. What was the target is a source then. */
function retargeted({ rollout, sources }: Situation, source: string): JsonObject {
  const former = targetNameOf(rollout) ?? '';
  if (rollout.naming !== 'workload')
    return {
      targetRevisionName: source,
      ...(rollout.source !== null && { sourceRevisionName: former }),
    };
  const { apiVersion, kind } = rollout.workload;
  const names = [former, ...sources.map(({ workload }) => workload.name)].filter((name) => name !== source);
  return {
    targetRef: { apiVersion, kind, name: source },
    sourceRef: [...new Set(names)].map((name) => ({ apiVersion, kind, name })),
  };
}

function draftDeletion({ situation, ask }: Asked): Draft {
  const { rollout, index, stage } = situation;
  const reverts = revertOf(situation, ask);
  const isMidway = index > 0 && stage !== 'rolloutSucceed';
  return {
    change: null,
    title: reverts ? `Delete ${rollout.name} and take it back` : `Delete ${rollout.name}`,
    steps: [
      ...(reverts === rollout.plan.revertOnDelete || !mayRevert(situation)
        ? []
        : [`First revertOnDelete is set to ${reverts}.`]),
      reverts
        ? 'What was there before the first batch is brought back, in portions of the largest batch; then the Rollout goes.'
        : 'The workloads are let go of, and the Rollout goes.',
    ],
    stays: [
      reverts
        ? 'No pod of the target stays.'
        : isMidway
          ? 'The pods of the source and of the target stay, as many as there are of each now.'
          : 'The workloads stay as they are.',
    ],
    goal: { until: 'deleted' },
  };
}

function revertOf(situation: Situation, { revert }: RolloutAsk): boolean {
  return mayRevert(situation) && (revert ?? situation.rollout.plan.revertOnDelete);
}

function planOf(situation: Situation, ask: RolloutAsk, draft: Draft): Plan {
  const { rollout } = situation;
  const { change, title, steps, stays } = draft;
  const { action } = ask;
  const needs = rightOf(rollout, action);
  const said = { action, title, steps, stays };
  if (change !== null)
    return { ...said, write: patchOf(rollout, change), needs, kubectl: patchLine(rollout, change) };
  const deletion = kubectlLine(rollout.namespace, 'delete', RESOURCE, rollout.name, '--wait=false');
  const { uid, resourceVersion } = rollout;
  if (!changesRevert(situation, ask)) {
    const write: PlannedWrite = {
      kind: 'delete',
      path: pathOf(rollout),
      preconditions: { uid, resourceVersion },
    };
    return { ...said, write, needs, kubectl: deletion };
  }
  // What a deletion does is written down before it is asked for; that makes another version of the object.
  const before = plan({ revertOnDelete: revertOf(situation, ask) });
  return {
    ...said,
    write: patchOf(rollout, before),
    needs: { ...needs, verb: 'patch' },
    then: { write: { kind: 'delete', path: pathOf(rollout), preconditions: { uid } }, needs },
    kubectl: `${patchLine(rollout, before)} && ${deletion}`,
  };
}

const RESOURCE = `${oamRollouts.plural}.${oamRollouts.group}`;

function patchLine({ namespace, name }: OamRollout, change: JsonObject): string {
  return kubectlLine(namespace, 'patch', RESOURCE, name, '--type=merge', '-p', JSON.stringify(change));
}

function patchOf(rollout: OamRollout, change: JsonObject): PlannedWrite {
  const { resourceVersion } = rollout;
  return { kind: 'merge', path: pathOf(rollout), body: { metadata: { resourceVersion }, ...change } };
}

function changesRevert(situation: Situation, ask: RolloutAsk): boolean {
  return mayRevert(situation) && revertOf(situation, ask) !== situation.rollout.plan.revertOnDelete;
}

function pathOf({ version, namespace, name }: OamRollout): string {
  return resourcePath(oamRollouts, version, namespace, name);
}

function plan(change: JsonObject): JsonObject {
  return { spec: { rolloutPlan: change } };
}

/** Nothing is sent that the design's validation forbids. */
function refuseParameters(
  situation: Situation,
  { action, step, revert }: RolloutAsk,
  { steps }: RolloutAction,
): RolloutPlanned | null {
  if (action === 'approve' && step !== null && !(steps ?? []).includes(step)) {
    const { length } = situation.batches;
    return refused(
      step > length
        ? `There is no batch ${step}: the plan has ${length}.`
        : `Batch ${step} may run already. The partition can only go up.`,
      'no_such_step',
    );
  }
  if (action === 'delete' && revert === true && !mayRevert(situation))
    return refused(
      situation.rollout.isOurs
        ? 'The rollout has succeeded, so there is nothing to take back. Roll it back instead.'
        : 'Only Shiplog’s own controller takes back what a Rollout has done, and this one is not given to it.',
      'cannot_revert',
    );
  return null;
}

function isKnown(action: RolloutActionName): action is OamActionName {
  return (oamActionNames as readonly RolloutActionName[]).includes(action);
}

function findingsOf(action: OamActionName, consequence: string | null): Finding[] {
  const severity = action === 'rollback' ? 'warning' : 'info';
  return consequence === null ? [] : [{ severity, code: 'consequence', message: consequence, action: null }];
}

function refused(message: string, code = 'wrong_state'): RolloutPlanned {
  return { kind: 'refused', findings: [{ severity: 'refusal', code, message, action: null }] };
}
