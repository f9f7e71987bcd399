import { describe, expect, test } from 'vitest';
import { type PodOutcome, type PodBehaviour } from '@/sandbox/controllers/kubelet/behaviour';
import { nextStep } from '@/sandbox/controllers/kubelet/pod-step';
import { type Pod, podCondition } from '@/sandbox/controllers/objects/pod';
import { timeText } from '@/sandbox/controllers/objects/time';
import { pod, T0 } from '@/sandbox/controllers/testing/objects';

const ADDRESSES = { hostIp: '10.0.0.1', podIp: '10.1.0.7' };
const behaviour = (outcome: PodOutcome, more: Partial<PodBehaviour> = {}): PodBehaviour => ({
  outcome,
  startsAfterMs: 1000,
  readyAfterMs: 4000,
  stopsAfterMs: 1000,
  ...more,
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
function play(start: Pod, plan: PodBehaviour, seconds: number): { told: Told[]; last: Pod } {
  const told: Told[] = [];
  let last = start;
  let now: number | undefined = T0;
  while (now !== undefined && now <= T0 + seconds * 1000) {
    const step = nextStep(last, plan, ADDRESSES, now);
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
  const { told, last } = play(bound, behaviour('ready'), 600);
  expect(told.map(({ at, phase, ready }) => [at, phase, ready])).toEqual([
    [0, 'Pending', false],
    [1, 'Running', false],
    [5, 'Running', true],
  ]);
  expect(told.flatMap(({ events }) => events)).toEqual(['Pulling', 'Pulled', 'Created', 'Started']);
  expect(nextStep(last, behaviour('ready'), ADDRESSES, T0 + 700_000)).toEqual({ events: [] });
  expect(last.status).toMatchObject({ podIP: '10.1.0.7', hostIP: '10.0.0.1', startTime: timeText(T0) });
  expect(podCondition(last, 'Ready')?.lastTransitionTime).toBe(timeText(T0 + 5000));
});

test('makes a pod ready with a single write without delays', () => {
  const { told } = play(bound, behaviour('ready', { startsAfterMs: 0, readyAfterMs: 0 }), 60);
  expect(told).toHaveLength(1);
  expect(told[0]).toMatchObject({ at: 0, phase: 'Running', ready: true });
});

test('coarsely, writes nothing before the containers run', () => {
  const plan = behaviour('ready', { startsAfterMs: 5000, readyAfterMs: 0 });
  expect(nextStep(bound, plan, ADDRESSES, T0, true)).toEqual({ events: [], lookAgainAt: T0 + 5000 });
  const { status } = nextStep(bound, plan, ADDRESSES, T0 + 5000, true);
  expect(podCondition({ status: status ?? {} }, 'Ready')?.status).toBe('True');
});

test('reports why a hanging container is not ready while it runs', () => {
  const { told, last } = play(bound, behaviour('hang'), 3600);
  expect(told.at(-1)).toMatchObject({ at: 1, phase: 'Running', ready: false });
  expect(told.at(-1)?.events).toContain('Unhealthy');
  expect(podCondition(last, 'Ready')).toMatchObject({
    reason: 'ContainersNotReady',
    message: 'containers with unready status: [app]',
  });
});

test('keeps a pod with a missing image pending', () => {
  const { told } = play(bound, behaviour('broken'), 3600);
  expect(told.at(-1)).toMatchObject({ at: 1, phase: 'Pending', waiting: 'ImagePullBackOff', restarts: 0 });
});

test('restarts a crashing container after 10, 20, 40, 80 and 160 seconds, then every 300', () => {
  const { told, last } = play(bound, behaviour('crash'), 1300);
  const crashes = told.filter(({ waiting }) => waiting === 'CrashLoopBackOff');
  expect(crashes.map(({ at }) => at)).toEqual([5, 15, 35, 75, 155, 315, 615, 915, 1215]);
  expect(crashes.map(({ restarts }) => restarts)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(last.status.containerStatuses?.[0]?.lastState.terminated).toMatchObject({ exitCode: 1 });
});

describe('later changes', () => {
  const ready = play(bound, behaviour('ready'), 60).last;

  test('a ready pod that hangs becomes unready, and ready again', () => {
    const hung = nextStep(ready, behaviour('hang'), ADDRESSES, T0 + 60_000);
    const unready = { ...ready, status: hung.status ?? {} };
    expect(podCondition(unready, 'Ready')?.status).toBe('False');
    const healed = nextStep(unready, behaviour('ready'), ADDRESSES, T0 + 90_000);
    expect(podCondition({ status: healed.status ?? {} }, 'Ready')?.status).toBe('True');
  });

  test('a crash loop ends with its cause', () => {
    const crashed = play(bound, behaviour('crash'), 8).last;
    const { told } = play(crashed, behaviour('ready'), 60);
    expect(told.map(({ at, ready: is, restarts }) => [at, is, restarts])).toEqual([
      [15, false, 1],
      [19, true, 1],
    ]);
  });

  test('a readiness gate keeps a pod unready until its condition is true', () => {
    const gated = { ...bound, spec: { ...bound.spec, readinessGates: [{ conditionType: 'gate' }] } };
    const { last } = play(gated, behaviour('ready'), 60);
    expect(podCondition(last, 'Ready')).toMatchObject({ status: 'False', reason: 'ReadinessGatesNotReady' });
    const conditions = [...(last.status.conditions ?? []), { type: 'gate', status: 'True' }];
    const open = { ...last, status: { ...last.status, conditions } };
    const step = nextStep(open, behaviour('ready'), ADDRESSES, T0 + 90_000);
    expect(podCondition({ status: step.status ?? {} }, 'Ready')?.status).toBe('True');
  });
});

describe('a pod whose image is changed in place', () => {
  const ready = play(bound, behaviour('ready'), 60).last;
  const changed: Pod = { ...ready, spec: { containers: [{ name: 'app', image: 'web:2' }] } };

  test('restarts the container, waits for it, and is ready again', () => {
    const { told, last } = play(changed, behaviour('ready'), 60);
    expect(told.map(({ ready: isReady, restarts }) => [isReady, restarts])).toEqual([
      [false, 1],
      [true, 1],
    ]);
    expect(told[0]?.events).toEqual(['Killing', 'Pulled', 'Created', 'Started']);
    const [before, after] = [ready, last].map(({ status }) => status.containerStatuses?.[0]);
    expect(after).toMatchObject({ image: 'web:2' });
    expect(after?.imageID).not.toBe(before?.imageID);
    expect(after?.containerID).not.toBe(before?.containerID);
  });

  test('waits for a missing image', () => {
    const { told } = play(changed, behaviour('broken'), 60);
    expect(told.at(-1)).toMatchObject({ ready: false, waiting: 'ImagePullBackOff' });
  });
});
