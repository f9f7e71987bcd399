import { expect, test } from 'vitest';
import { describeController } from '@/components/shell/controller-text';

const controller = { name: 'oam-rollout', since: '2026-03-01T12:00:00Z', holder: null, problem: null };

test('names who runs a controller in every state', () => {
  const say = (changes: Partial<Parameters<typeof describeController>[0]>) =>
    describeController({ ...controller, state: 'leading', ...changes });
  expect(say({})).toBe('The controller oam-rollout runs in this Shiplog');
  expect(say({ state: 'starting' })).toBe('The controller oam-rollout is starting');
  expect(say({ state: 'standby', holder: 'pod-2' })).toContain('runs in another Shiplog, pod-2;');
  expect(say({ state: 'unknown', problem: 'forbidden' })).toBe(
    'Nobody can tell whether oam-rollout runs: forbidden',
  );
});
