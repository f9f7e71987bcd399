import type { RolloutItem, RolloutStepItem, RolloutPod } from '@/lib/api/rollouts';
import { rolloutActionNames } from '@/lib/api/action-values';
import type { StepState } from '@/lib/api/rollout-values';

export const at = '2026-09-17T12:00:00Z';

export function pod(name: string, ready = true): RolloutPod {
  return {
    ...{
      uid: name,
      name,
      ip: '10.0.0.1',
      node: 'worker-1',
      phase: 'Running',
      ready,
      readyAt: ready ? at : null,
    },
    ...{ createdAt: at, restarts: 0, blocked: null, revision: 2, revisionId: 'two' },
  };
}

export function step(
  index: number,
  state: StepState,
  planned: number,
  pods: RolloutPod[] = [],
): RolloutStepItem {
  const isAhead = state === 'planned';
  return {
    index,
    state,
    does: null,
    since: isAhead ? null : at,
    replicas: {
      planned,
      requested: `${planned * 10}%`,
      updated: isAhead ? null : planned,
      ready: isAhead ? null : planned,
    },
    traffic: {
      planned: { kind: 'weight', percent: planned * 10 },
      actual: isAhead ? null : { kind: 'weight', percent: planned * 10 },
      evidence: null,
    },
    pause: { kind: 'approval' },
    startedAt: isAhead ? null : at,
    readyAt: null,
    waitsFor:
      state === 'waiting' ? { kind: 'approval', text: `Waiting for approval of step ${index}.` } : null,
    podCount: pods.length,
    pods,
  };
}

function revision(number: number) {
  return {
    ...{
      hash: `h${number}`,
      id: number === 1 ? 'one' : 'two',
      number,
      name: `cart-${number}`,
      pending: false,
    },
    images: [{ container: 'main', image: `shop/cart:${number}.0` }],
  };
}

/** Ten pods in three steps of 2, 5 and 10, paused at the second. */
export function rollout(given: Partial<RolloutItem> = {}): RolloutItem {
  return {
    ...{ cluster: 'c', system: 'openkruise', resource: 'rollouts.rollouts.kruise.io', namespace: 'shop' },
    ...{ name: 'cart', uid: 'u', createdAt: at, deletedAt: null, phase: 'Progressing', paused: false },
    workload: {
      resource: 'clonesets.apps.kruise.io',
      apiVersion: '',
      kind: 'CloneSet',
      name: 'cart',
      state: 'found',
    },
    state: 'waiting',
    message: 'Step 2 of 3 is waiting for approval.',
    reported: { message: null, stepState: 'StepPaused', conditions: [] },
    since: at,
    style: 'partition',
    disabled: false,
    step: { index: 2, total: 3, state: 'waiting', next: null },
    waitsFor: null,
    run: { id: 'r', startedAt: at, writer: null },
    revisions: { stable: revision(1), updated: revision(2), summary: null, compare: null },
    replicas: { desired: 10, updated: 5, ready: 5 },
    steps: [
      step(1, 'done', 2, [pod('a'), pod('b')]),
      step(2, 'waiting', 5, [pod('c'), pod('d', false), pod('e')]),
      step(3, 'planned', 10),
    ],
    unassignedPods: [],
    unassignedPodCount: 0,
    ...{ auxiliaries: [], routes: [], relatedObjects: [], notes: [], seen: 's' },
    actions: rolloutActionNames.map((name) => ({
      ...{ name, allowed: true, reason: null, consequence: null, steps: null },
    })),
    ...given,
  };
}
