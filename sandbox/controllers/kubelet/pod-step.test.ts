import { expect, test } from 'vitest';
import type { PodBehaviour, PodOutcome } from '@/sandbox/controllers/kubelet/behaviour';
import { nextStep } from '@/sandbox/controllers/kubelet/pod-step';
import { type Pod, podCondition } from '@/sandbox/controllers/objects/pod';
import { timeText } from '@/sandbox/controllers/objects/time';
import { pod, T0 } from '@/sandbox/controllers/testing/objects';

const addresses = { hostIp: '10.0.0.1', podIp: '10.1.0.7' };
const behaviour = (outcome: PodOutcome): PodBehaviour => ({
  outcome,
  startsAfterMs: 1000,
  readyAfterMs: 4000,
  stopsAfterMs: 1000,
});
const bound = pod('web-1', {
  status: {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: timeText(T0) }],
  },
});

interface Told {
  at: number;
  phase: string | undefined;
  ready: boolean;
  restarts: number | undefined;
  waiting: string | undefined;
  events: string[];
}

/** The states of a pod during so many seconds, reconciled when the steps request it. */
function play(start: Pod, outcome: PodOutcome, seconds: number): { told: Told[]; last: Pod } {
  const told: Told[] = [];
  let last = start;
  let now: number | undefined = T0;
  while (now !== undefined && now <= T0 + seconds * 1000) {
    const step = nextStep({ pod: last, behaviour: behaviour(outcome), addresses, now });
    if (step.status !== undefined) {
      last = { ...last, status: step.status };
      const [container] = step.status.containerStatuses ?? [];
      told.push({
        at: (now - T0) / 1000,
        phase: step.status.phase,
        ready: podCondition(last, 'Ready')?.status === 'True',
        restarts: container?.restartCount,
        waiting: container?.state.waiting?.reason,
        events: step.events.map(({ reason }) => reason),
      });
    }
    now = step.lookAgainAt;
  }
  return { told, last };
}

test('starts a pod, makes it ready after a while, and then does nothing', () => {
  const { told, last } = play(bound, 'ready', 600);
  expect(told.map(({ at, phase, ready }) => [at, phase, ready])).toEqual([
    [0, 'Pending', false],
    [1, 'Running', false],
    [5, 'Running', true],
  ]);
  expect(told.flatMap(({ events }) => events)).toEqual(['Pulling', 'Pulled', 'Created', 'Started']);
  expect(play(last, 'ready', 700).told).toEqual([]);
});

test.each([
  ['hang', { phase: 'Running', ready: false, waiting: undefined }, 'Unhealthy'],
  ['broken', { phase: 'Pending', ready: false, waiting: 'ImagePullBackOff', restarts: 0 }, 'BackOff'],
] as const)('a pod whose outcome is %s stays %j, and says why', (outcome, state, event) => {
  const last = play(bound, outcome, 3600).told.at(-1);
  expect(last).toMatchObject({ at: 1, ...state });
  expect(last?.events).toContain(event);
});

test('restarts a crashing container after 10, 20, 40, 80 and 160 seconds, then every 300', () => {
  const { told } = play(bound, 'crash', 1300);
  const crashes = told.filter(({ waiting }) => waiting === 'CrashLoopBackOff');
  expect(crashes.map(({ at }) => at)).toEqual([5, 15, 35, 75, 155, 315, 615, 915, 1215]);
  expect(crashes.map(({ restarts }) => restarts)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
});

test('a ready pod that hangs becomes unready, and a crash loop ends with its cause', () => {
  const hung = play(play(bound, 'ready', 60).last, 'hang', 60);
  expect(hung.told.map(({ ready }) => ready)).toEqual([false]);
  const { told } = play(play(bound, 'crash', 8).last, 'ready', 60);
  expect(told.map(({ at, ready, restarts }) => [at, ready, restarts])).toEqual([
    [15, false, 1],
    [19, true, 1],
  ]);
});
