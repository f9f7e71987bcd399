import { expect, test } from 'vitest';
import { describeController } from '@/components/shell/controller-tags';

const controller = { name: 'oam-rollout', since: '2026-03-01T12:00:00Z', holder: null, problem: null };

test('names who runs a controller in every state', () => {
  const say = (changes: Partial<Parameters<typeof describeController>[0]>) =>
    describeController({ ...controller, state: 'leading', ...changes });
  expect(say({})).toBe('Controller oam-rollout runs in this instance of Shiplog');
  expect(say({ state: 'starting' })).toBe('Controller oam-rollout is starting');
  expect(say({ state: 'standby', holder: 'pod-2' })).toContain('runs in another instance of Shiplog, pod-2;');
  expect(say({ state: 'unknown', problem: 'forbidden' })).toBe(
    'It is unknown whether oam-rollout runs: forbidden',
  );
  expect(say({ state: 'stopped', problem: 'There is no policy.' })).toBe(
    'Controller oam-rollout does not act: There is no policy.',
  );
});
