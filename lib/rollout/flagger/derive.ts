import { isActive } from '@/lib/history/assemble';
import type { FlaggerCanary } from '@/lib/rollout/flagger/parse';
import {
  approvalRefusal,
  failedChecksText,
  primaryNameOf,
  notesOf,
  describeCanary,
} from '@/lib/rollout/flagger/describe';
import { type Refusal, refusalFields } from '@/lib/rollout/refusal';
import { identityFacts } from '@/lib/rollout/object-facts';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RolloutRevision, RolloutAction, RolloutPod, RolloutStep } from '@/lib/api/rollouts';
import type { StepState } from '@/lib/api/rollout-values';
import { podRow } from '@/lib/rollout/pod-row';
import type { RolloutInput } from '@/lib/rollout/system';
import type { RolloutFacts } from '@/lib/rollout/rollout-facts';

/** A Canary of Flagger with its target. It is read-only: what it waits for is not in the cluster. */
export function deriveCanary({ object: canary, workload }: RolloutInput<FlaggerCanary>): ProgressiveRollout {
  const facts = workload.state === 'found' ? workload.facts : null;
  const described = describeCanary(canary);
  const isInProgress = isUnderWay(canary.phase);
  const index = indexOf(canary);
  const { resource } = canary.workload;
  const primaries = resource === null ? [] : [{ resource, name: primaryNameOf(canary) }];
  const steps = canary.weights.map((weight, offset) => stepOf(canary, weight, offset + 1, index));
  const state = steps[index - 1]?.state ?? null;
  return {
    system: 'flagger',
    ...identityFacts(canary, workload.state),
    ...(workload.state === 'missing' ? missingTarget(canary) : described),
    since: canary.lastTransitionTime,
    phase: canary.phase,
    reported: {
      message: canary.conditions.find(({ type }) => type === 'Promoted')?.message ?? null,
      stepState: null,
      conditions: canary.conditions,
    },
    style: canary.weights.length === 0 && canary.iterations !== null ? 'blueGreen' : 'canary',
    paused: canary.suspended,
    disabled: false,
    step: { index, total: steps.length, state, next: null },
    run: { id: null, startedAt: null },
    revisions: {
      stable: primaryOf(canary),
      updated: isInProgress || canary.phase === 'Failed' ? targetOf(facts) : null,
    },
    replicas:
      isInProgress && facts !== null ? countsOf(facts) : { desired: null, updated: null, ready: null },
    steps,
    unassignedPods: isInProgress && facts !== null ? podsOf(facts) : [],
    ...(primaries.length > 0 && { sources: primaries }),
    auxiliaries: primaries,
    routes: [],
    relatedObjects: [],
    notes: notesOf(canary),
    actions: actionsOf(canary),
  };
}

export function preconditionText({ object }: RolloutInput<FlaggerCanary>): string {
  return JSON.stringify([object.uid, object.phase, object.weight, object.suspended, object.resourceVersion]);
}

/** Explained rather than left out: users look for them. */
function actionsOf(canary: FlaggerCanary): RolloutAction[] {
  const { kind, name } = canary.workload;
  const refused = (action: RolloutAction['name'], refusal: Refusal): RolloutAction => ({
    name: action,
    ...refusalFields(refusal),
    consequence: null,
    steps: null,
  });
  return [
    refused('approve', approvalRefusal(canary)),
    refused('rollback', {
      reason: `Roll back ${kind} ${name} instead: Flagger treats that as a new rollout.`,
      instead: 'workload',
    }),
  ];
}

function missingTarget({ workload: { kind, name } }: FlaggerCanary) {
  return {
    state: 'missing' as const,
    message: `${kind} ${name} not found.`,
    waitsFor: { kind: 'workload' as const, text: `Waiting for ${kind} ${name} to be created.` },
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
    replicas: { planned: null, requested: null, updated: null, ready: null },
    traffic: {
      planned: { kind: 'weight', percent },
      actual: isAtHand ? { kind: 'weight', percent: canary.weight } : null,
      evidence: isAtHand ? `Canary weight reported by Flagger: ${canary.weight}.` : null,
    },
    pause: { kind: 'none' },
    startedAt: null,
    readyAt: null,
    waitsFor: isAtHand ? describeCanary(canary).waitsFor : null,
    pods: [],
  };
}

function stateOf({ phase }: FlaggerCanary, index: number, current: number): StepState {
  if (phase === 'Succeeded' || phase === 'Promoting' || phase === 'Finalising') return 'done';
  if (index !== current) return index < current ? 'done' : 'planned';
  return phase === 'WaitingPromotion' ? 'waiting' : 'analysing';
}

/** The serving copy is known only by its name: it has a history of its own. */
function primaryOf(canary: FlaggerCanary): RolloutRevision {
  return { hash: null, id: null, number: null, name: primaryNameOf(canary), pending: false, images: [] };
}

function targetOf(facts: RolloutFacts | null): RolloutRevision | null {
  const target = facts?.history.target ?? null;
  return target === null
    ? null
    : {
        hash: target.source.labels['pod-template-hash'] ?? null,
        id: target.id,
        number: target.number,
        name: target.name,
        pending: false,
        images: target.source.images.map(({ container, image }) => ({ container, image })),
      };
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
