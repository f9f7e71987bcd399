import { describe, expect, it } from 'vitest';
import {
  found,
  cloneSetFacts,
  deploymentFacts,
  deriveFrom,
  rolloutObject,
  routed,
  statusOf,
  web,
} from '@/lib/rollout/openkruise/testing/objects';
import {
  canaryCompleted,
  canaryRolledBack,
  cloneSetCompleted,
  cloneSetJump,
  gateway,
  type Line,
  partitionWithoutTraffic,
} from '@/lib/rollout/openkruise/testing/timelines';

const steps = [
  { replicas: 1, traffic: '20%', pause: {} },
  { replicas: '60%', traffic: '60%', pause: { duration: 30 } },
  { replicas: '100%', traffic: '100%', pause: { duration: 0 } },
];

/** The states of a recording, each once: state, step of total, and the states of the steps. */
function pictures(lines: readonly Line[], parts: Parameters<typeof rolloutObject>[0], rest = {}): string[] {
  const told = lines.map((line) => {
    const { state, step, steps: all } = deriveFrom(rolloutObject({ ...parts, status: statusOf(line) }), rest);
    return `${state} ${step.index}/${step.total} ${all.map((each) => each.state).join(' ')}`;
  });
  return told.filter((text, index) => text !== told[index - 1]);
}

describe('a recorded rollout', () => {
  it('of a canary Deployment goes from idle to completed, each step through its states', () => {
    const facts = deploymentFacts('checkout', ['7c579f75b8'], [], '749d76b7f');
    const parts = { workload: web, steps, canary: { enableExtraWorkloadForCanary: true, ...routed } };
    expect(pictures(canaryCompleted, parts, found(facts))).toEqual([
      'idle 0/3 planned planned planned',
      'starting 0/3 planned planned planned',
      'progressing 1/3 starting planned planned',
      'progressing 1/3 upgrading planned planned',
      'progressing 1/3 routing planned planned',
      'waiting 1/3 waiting planned planned',
      'progressing 2/3 done upgrading planned',
      'progressing 2/3 done routing planned',
      'progressing 2/3 done pausing planned',
      'progressing 3/3 done done upgrading',
      'progressing 3/3 done done routing',
      'completing 3/3 done done done',
      'completed 3/3 done done done',
    ]);
  });

  it('that is rolled back at its first step never waits again, although its status still reports it', () => {
    const parts = { workload: web, steps, canary: { enableExtraWorkloadForCanary: true, ...routed } };
    expect(pictures(canaryRolledBack, parts)).toEqual([
      'completed 3/3 done done done',
      'starting 0/3 planned planned planned',
      'progressing 1/3 starting planned planned',
      'progressing 1/3 upgrading planned planned',
      'progressing 1/3 routing planned planned',
      'waiting 1/3 waiting planned planned',
      'rollingBack 1/3 abandoned planned planned',
      'rolledBack 1/3 abandoned planned planned',
    ]);
  });

  it('of a partitioned Deployment without traffic does not wait for its last step', () => {
    const waits = [
      { replicas: '25%', pause: {} },
      { replicas: '50%', pause: { duration: 30 } },
      { replicas: '100%', pause: {} },
    ];
    const told = pictures(partitionWithoutTraffic, { workload: web, steps: waits });
    expect(told[0]).toBe('idle 0/3 planned planned planned');
    expect(told).toContain('waiting 1/3 waiting planned planned');
    expect(told).toContain('progressing 2/3 done pausing planned');
    expect(told).toContain('progressing 3/3 done done upgrading');
    expect(told.at(-1)).toBe('completed 3/3 done done done');
  });

  it('of a CloneSet that jumps skips the step between, and with a reused id counts as another', () => {
    const facts = cloneSetFacts(['fc9597d4f', '5c766bb65d', '6f8ccf87ff'], []);
    const told = pictures(cloneSetJump, { steps, canary: routed }, found(facts));
    const jump = told.indexOf('progressing 3/3 done done starting');
    expect(told[jump - 1]).toBe('progressing 1/3 routing planned planned');
    expect(told.filter((text) => text.startsWith('completed'))).toHaveLength(3);
    expect(told.filter((text) => text.startsWith('starting'))).toHaveLength(2);
    expect(told.at(-1)).toBe('terminating 3/3 done done done');
  });

  it.each([
    ['a CloneSet', cloneSetCompleted, steps],
    ['a CloneSet behind an HTTPRoute', gateway, steps.slice(1)],
  ])('of %s begins at no step and ends with all of them done', (_, lines, plan) => {
    const told = pictures(lines, { steps: plan, canary: routed });
    expect(told[0]).toMatch(/^idle 0/);
    expect(told[1]).toMatch(/^starting 0/);
    expect(told.at(-1)).toMatch(/^completed (\d)\/\1 done/);
    expect(told.every((text) => !text.includes('unknown'))).toBe(true);
  });

  it('can be approved exactly while a step of it is paused', () => {
    for (const lines of [
      canaryCompleted,
      canaryRolledBack,
      partitionWithoutTraffic,
      cloneSetCompleted,
      cloneSetJump,
      gateway,
    ]) {
      for (const line of lines) {
        const { actions } = deriveFrom(rolloutObject({ steps, status: statusOf(line) }));
        const isAllowed = actions.find(({ name }) => name === 'approve')?.allowed;
        expect(isAllowed).toBe(
          line.phase === 'Progressing' && line.progressing === 'InRolling' && line.state === 'StepPaused',
        );
      }
    }
  });
});
