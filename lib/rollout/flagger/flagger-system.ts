import type { RolloutRevision, RolloutStep } from '@/lib/api/rollouts';
import type { StepState } from '@/lib/api/rollout-values';
import { NO_COUNTS, placeStep } from '@/lib/engine/steps';
import {
  listPodsOf,
  namedRevision,
  rolloutRevisionOf,
  shapeStep,
  type StepPods,
} from '@/lib/rollout/common-shape';
import { defineSystem, type Description } from '@/lib/rollout/define-system';
import { canaries, type FlaggerCanary, parseCanary } from '@/lib/rollout/flagger/parse';
import {
  describeCanary,
  describeMissingTarget,
  failedChecksText,
  notesOf,
  primaryNameOf,
  refuseApproval,
} from '@/lib/rollout/flagger/stages';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RolloutFacts } from '@/lib/rollout/rollout-facts';
import { type BaseContext, readBase } from '@/lib/rollout/system';

interface FlaggerContext extends BaseContext<FlaggerCanary> {
  index: number;
  isTargetMissing: boolean;
}

/** Canaries of Flagger, read-only: what they wait for is not in the cluster. https://docs.flagger.app */
export const flaggerSystem = defineSystem<FlaggerCanary, FlaggerContext>({
  id: 'flagger',
  resource: canaries,
  parse: parseCanary,
  readContext: (input) => ({
    ...readBase(input, input.object.suspended),
    index: indexOf(input.object),
    isTargetMissing: input.workload.state === 'missing',
  }),
  findFacts: ({ rollout, isTargetMissing }) => {
    const facts = isTargetMissing ? describeMissingTarget(rollout) : describeCanary(rollout);
    return { ...facts, since: rollout.lastTransitionTime };
  },
  findPods: ({ rollout, facts }) => {
    const isShown = isUnderWay(rollout.phase) && facts !== null;
    return { bySteps: new Map(), unassigned: isShown ? listPodsOf(facts, facts.history.target) : [] };
  },
  listSteps: ({ rollout, index }, pods) =>
    rollout.weights.map((weight, offset) => stepOf(rollout, weight, offset + 1, index, pods)),
  // Explained rather than left out: users look for them.
  actions: {
    approve: { refusals: [({ rollout }) => refuseApproval(rollout)] },
    rollback: { refusals: [({ rollout }) => refuseRollback(rollout)] },
  },
  refusalCode: 'read_only_system',
  rightOf: () => null,
  describe,
  listPreconditions: ({ object }) => [
    object.uid,
    object.phase,
    object.weight,
    object.suspended,
    object.resourceVersion,
  ],
});

function describe({ rollout: canary, facts }: FlaggerContext): Description {
  const isInProgress = isUnderWay(canary.phase);
  const { resource } = canary.workload;
  const primaries = resource === null ? [] : [{ resource, name: primaryNameOf(canary) }];
  const description: Description = {
    phase: canary.phase,
    reported: {
      message: canary.conditions.find(({ type }) => type === 'Promoted')?.message ?? null,
      stepState: null,
      conditions: canary.conditions,
    },
    style: canary.weights.length === 0 && canary.iterations !== null ? 'blueGreen' : 'canary',
    revisions: {
      // The serving copy is known only by its name: it has a history of its own.
      stable: namedRevision(null, primaryNameOf(canary)),
      updated: isInProgress || canary.phase === 'Failed' ? targetOf(facts) : null,
    },
    replicas: isInProgress && facts !== null ? countsOf(facts) : { desired: null, ...NO_COUNTS },
    auxiliaries: primaries,
    notes: notesOf(canary),
  };
  if (primaries.length > 0) description.sources = primaries;
  return description;
}

function refuseRollback({ workload: { kind, name } }: FlaggerCanary) {
  return {
    reason: `Roll back ${kind} ${name} instead: Flagger treats that as a new rollout.`,
    instead: 'workload' as const,
  };
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

function stepOf(
  canary: FlaggerCanary,
  percent: number,
  index: number,
  current: number,
  pods: StepPods,
): RolloutStep {
  const state = stateOf(canary, index, current);
  const isAtHand =
    index === current && (canary.phase === 'Progressing' || canary.phase === 'WaitingPromotion');
  return {
    ...shapeStep(index, state, pods),
    does: [`${percent}% of traffic to the canary`, isAtHand ? failedChecksText(canary) : null]
      .filter((part) => part !== null)
      .join(', '),
    traffic: {
      planned: { kind: 'weight', percent },
      actual: isAtHand ? { kind: 'weight', percent: canary.weight } : null,
      evidence: isAtHand ? `Canary weight reported by Flagger: ${canary.weight}.` : null,
    },
    waitsFor: isAtHand ? (describeCanary(canary).waitsFor ?? null) : null,
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
