import { refusePlan } from '@/lib/rollout/plan-action';
import { isActive } from '@/lib/history/assemble';
import { canaries, type FlaggerCanary, parseCanary } from '@/lib/rollout/flagger/parse';
import {
  describeCanary,
  describeMissingTarget,
  failedChecksText,
  notesOf,
  primaryNameOf,
  refuseApproval,
} from '@/lib/rollout/flagger/progress';
import { refuseAction } from '@/lib/engine/allowed';
import { describeProgress } from '@/lib/engine/progress';
import { NO_COUNTS, placeStep } from '@/lib/engine/steps';
import { namedRevision, podRow, rolloutRevisionOf, shapeRollout } from '@/lib/rollout/common-shape';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RolloutRevision, RolloutAction, RolloutPod, RolloutStep } from '@/lib/api/rollouts';
import type { StepState } from '@/lib/api/rollout-values';
import { plainSystem, type RolloutInput, type RolloutSystem } from '@/lib/rollout/system';
import type { RolloutFacts } from '@/lib/rollout/rollout-facts';

/** Canaries of Flagger, read-only. https://docs.flagger.app */
export const flaggerSystem: RolloutSystem<FlaggerCanary> = {
  ...plainSystem,
  id: 'flagger',
  resource: canaries,
  parse: parseCanary,
  derive,
  validUntil: () => Infinity,
  preconditionText,
  plan: (input, { action }) => {
    const known = derive(input).actions.find(({ name }) => name === action);
    return refusePlan(known?.reason ?? refuseApproval(input.object), 'read_only_system');
  },
  rightOf: () => null,
};

/** A Canary of Flagger with its target. It is read-only: what it waits for is not in the cluster. */
function derive({ object: canary, workload }: RolloutInput<FlaggerCanary>): ProgressiveRollout {
  const facts = workload.state === 'found' ? workload.facts : null;
  const described = workload.state === 'missing' ? describeMissingTarget(canary) : describeCanary(canary);
  const isInProgress = isUnderWay(canary.phase);
  const index = indexOf(canary);
  const { resource } = canary.workload;
  const primaries = resource === null ? [] : [{ resource, name: primaryNameOf(canary) }];
  const steps = canary.weights.map((weight, offset) => stepOf(canary, weight, offset + 1, index));
  const state = steps[index - 1]?.state ?? null;
  const derived: ProgressiveRollout = {
    ...shapeRollout('flagger', canary, workload.state),
    ...describeProgress({ ...described, since: canary.lastTransitionTime }),
    phase: canary.phase,
    reported: {
      message: canary.conditions.find(({ type }) => type === 'Promoted')?.message ?? null,
      stepState: null,
      conditions: canary.conditions,
    },
    style: canary.weights.length === 0 && canary.iterations !== null ? 'blueGreen' : 'canary',
    paused: canary.suspended,
    step: { index, total: steps.length, state, next: null },
    revisions: {
      // The serving copy is known only by its name: it has a history of its own.
      stable: namedRevision(null, primaryNameOf(canary)),
      updated: isInProgress || canary.phase === 'Failed' ? targetOf(facts) : null,
    },
    replicas: isInProgress && facts !== null ? countsOf(facts) : { desired: null, ...NO_COUNTS },
    steps,
    unassignedPods: isInProgress && facts !== null ? podsOf(facts) : [],
    auxiliaries: primaries,
    notes: notesOf(canary),
    actions: actionsOf(canary),
  };
  return primaries.length === 0 ? derived : { ...derived, sources: primaries };
}

function preconditionText({ object }: RolloutInput<FlaggerCanary>): string {
  return JSON.stringify([object.uid, object.phase, object.weight, object.suspended, object.resourceVersion]);
}

/** Explained rather than left out: users look for them. */
function actionsOf(canary: FlaggerCanary): RolloutAction[] {
  const { kind, name } = canary.workload;
  return [
    refuseAction('approve', refuseApproval(canary)),
    refuseAction('rollback', {
      reason: `Roll back ${kind} ${name} instead: Flagger treats that as a new rollout.`,
      instead: 'workload',
    }),
  ];
}

function isUnderWay(phase: string): boolean {
  return ['Progressing', 'Waiting', 'WaitingPromotion', 'Promoting', 'Finalising'].includes(phase);
}

/** By the weight of the canary: the last step that asks for no more. */
function indexOf({ phase, weights, weight }: FlaggerCanary): number {
  if (phase === 'Succeeded' || phase === 'Promoting' || phase === 'Finalising') return weights.length;
  if (phase !== 'Progressing' && phase !== 'WaitingPromotion') return 0;
  return weights.filter((planned) => planned <= weight).length;
}

function stepOf(canary: FlaggerCanary, percent: number, index: number, current: number): RolloutStep {
  const state = stateOf(canary, index, current);
  const isAtHand =
    index === current && (canary.phase === 'Progressing' || canary.phase === 'WaitingPromotion');
  return {
    index,
    state,
    does: [`${percent}% of traffic to the canary`, isAtHand ? failedChecksText(canary) : null]
      .filter((part) => part !== null)
      .join(', '),
    since: null,
    replicas: { planned: null, requested: null, ...NO_COUNTS },
    traffic: {
      planned: { kind: 'weight', percent },
      actual: isAtHand ? { kind: 'weight', percent: canary.weight } : null,
      evidence: isAtHand ? `Canary weight reported by Flagger: ${canary.weight}.` : null,
    },
    pause: { kind: 'none' },
    startedAt: null,
    readyAt: null,
    waitsFor: isAtHand ? (describeCanary(canary).waitsFor ?? null) : null,
    pods: [],
  };
}

function stateOf({ phase }: FlaggerCanary, index: number, current: number): StepState {
  if (phase === 'Succeeded' || phase === 'Promoting' || phase === 'Finalising') return 'done';
  return placeStep(index, current, phase === 'WaitingPromotion' ? 'waiting' : 'analysing');
}

function targetOf(facts: RolloutFacts | null): RolloutRevision | null {
  const target = facts?.history.target ?? null;
  return target === null
    ? null
    : rolloutRevisionOf(target.source.labels['pod-template-hash'] ?? null, target);
}

/** All pods of the target are the canary; those of the copy serve. */
function countsOf({ history, desired }: RolloutFacts): ProgressiveRollout['replicas'] {
  const pods = history.target?.pods;
  return { desired, updated: pods?.total ?? 0, ready: pods?.ready ?? 0 };
}

function podsOf({ history, pods }: RolloutFacts): RolloutPod[] {
  const { target } = history;
  return pods
    .filter((pod) => isActive(pod) && history.revisionOfPod.get(pod.uid)?.id === target?.id)
    .map((pod) => podRow(pod, target));
}
