import { expect, test } from 'vitest';
import { placeActions } from '@/components/rollouts/rollout-choices';
import type { RolloutItem } from '@/lib/api/rollouts';
import type { JsonObject } from '@/lib/kube/json';
import { argoRolloutSystem } from '@/lib/argo/argo-system';
import { argoFacts, type ArgoParts, waitingCanary } from '@/lib/workloads/testing/argo';
import { oamRolloutSystem } from '@/lib/rollout/oam/oam-systems';
import { inputOf, type OamParts } from '@/lib/rollout/oam/testing/scenario';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import { at } from '@/lib/workloads/testing/objects';

const moving = { phase: 'Progressing', pauseConditions: null, controllerPause: false };
const blueGreen = { blueGreen: { activeService: 'shop', autoPromotionEnabled: false } };
const waiting = { pauseConditions: [{ reason: 'BlueGreenPause', startTime: at(3) }] };
const of = (status: JsonObject, parts: ArgoParts = {}): ArgoParts => ({
  ...parts,
  status: { ...moving, ...status },
});

test.each<[string, ArgoParts]>([
  ['that waits', {}],
  ['under way', of({ currentStepIndex: 2 })],
  ['paused by hand', { spec: { paused: true } }],
  ['past its steps', of({ currentStepIndex: 4 })],
  ['being promoted', of({ promoteFull: true })],
  ['being aborted', of({ abort: true })],
  ['aborted', of({ phase: 'Degraded', abort: true })],
  ['aborted and paused', of({ phase: 'Degraded', abort: true }, { spec: { paused: true } })],
  ['degraded', of({ phase: 'Degraded' })],
  ['that is over', of({ phase: 'Healthy', stableRS: 'h2', currentStepIndex: 4 })],
  ['that is over, and paused', of({ phase: 'Paused', stableRS: 'h2' }, { spec: { paused: true } })],
  ['that nobody has read', { generation: 2, image: '3' }],
  ['in blue and green', { strategy: blueGreen, status: { phase: 'Paused', ...waiting } }],
])('whatever may be done about a rollout %s has a button', (_, parts) => {
  const { rollout, sets } = waitingCanary(parts);
  const derived = argoRolloutSystem.derive({
    object: argoRolloutSystem.parse(rollout),
    workload: { state: 'found', facts: argoFacts(rollout, sets) },
    auxiliaries: [],
    relatedObjects: [],
    now: at(4),
  });
  expectButtons(derived);
});

test.each<[string, OamParts]>([
  ['waits', {}],
  ['is under way', { status: { batchRollingState: 'batchVerifying' } }],
  ['is paused', { plan: { paused: true } }],
  ['is being checked', { status: { rollingState: 'verifyingSpec' } }],
  ['is about to be over', { status: { rollingState: 'finalising' } }],
  ['has failed', { status: { rollingState: 'rolloutFailed' } }],
  ['is over', { status: { rollingState: 'rolloutSucceed' } }],
  ['nobody has taken up', { status: { rollingState: '' } }],
])('whatever may be done about batches of which the rollout %s has a button', (_, parts) => {
  expectButtons(oamRolloutSystem.derive(inputOf(parts)));
});

function expectButtons(derived: ProgressiveRollout): void {
  const { main, beside, more } = placeActions(derived as unknown as RolloutItem);
  const offered = new Set([main, ...beside, ...more]);
  const allowed = derived.actions.filter((action) => action.allowed).map(({ name }) => name);
  expect(allowed).not.toEqual([]);
  expect(allowed.filter((name) => !offered.has(name))).toEqual([]);
}
