// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query';
import { cleanup, screen } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { WorkloadHead } from '@/components/workload/workload-head';
import type { WorkloadDetail } from '@/lib/api/workloads';
import { sampleDetail } from '@/test/samples';
import { renderWith } from '@/test/render';

vi.mock('next/navigation', () => import('@/test/router'));
afterEach(cleanup);

const defaultTarget = { id: 'three', number: 3, why: 'completed on 16 Nov' };

function show(
  workload: Partial<WorkloadDetail['workload']>,
  given: { key?: string; rolledBack?: boolean } = {},
) {
  renderWith(
    new QueryClient(),
    <WorkloadHead
      workload={sampleDetail({ workload: { defaultTarget, ...workload } }).workload}
      targetVersion="3.12.0"
      rolledBack={given.rolledBack ?? false}
      hasFailingPods={false}
      compareHref={null}
      compareLabel=""
      blocked={null}
      rollbackKey={given.key}
      onRollback={vi.fn()}
      onControl={vi.fn()}
    />,
  );
}

const rollbackButton = () => screen.getByRole('button', { name: /^Roll back/ });

test('says before the dialog is open how many rollouts the offered rollback reverts, if more than the last', () => {
  show({ defaultTarget: { ...defaultTarget, reverts: 3 } });
  expect(screen.getByText('Rolling back to revision 3 reverts 3 rollouts.')).toBeDefined();
  cleanup();
  show({ defaultTarget: { ...defaultTarget, reverts: 1 } });
  expect(screen.queryByText(/^Rolling back to/)).toBeNull();
  cleanup();
  show({});
  expect(screen.queryByText(/^Rolling back to/)).toBeNull();
});

test('the button of the rollback names its target, and a key only where the key does the same', () => {
  show({}, { key: 'r' });
  expect(rollbackButton().textContent).toBe('Roll back to rev 3 (3.12.0)…r');
  cleanup();
  show({});
  expect(rollbackButton().textContent).toBe('Roll back to rev 3 (3.12.0)…');
});

test('the button of the rollback names no target that nothing proves', () => {
  const why = 'not proven: archive not reachable; outcome unknown';
  show({ defaultTarget: { ...defaultTarget, why, unproven: true } }, { key: 'r' });
  expect(rollbackButton().textContent).toBe('Roll back…r');
  expect(rollbackButton().title).toBe(`Revision 3: ${why}`);
});

describe('the filled button', () => {
  const controls = [
    { action: 'rollback' as const, enabled: true, reason: null },
    { action: 'resume' as const, enabled: true, reason: null },
  ];
  const filled = () =>
    screen
      .queryAllByRole('button')
      .filter(({ dataset }) => dataset['tone'] === 'primary')
      .map(({ textContent }) => textContent);

  test.each([
    ['complete', []],
    ['rolling', []],
    ['held', []],
    ['stuck', ['Roll back to rev 3 (3.12.0)…']],
    ['deadlineExceeded', ['Roll back to rev 3 (3.12.0)…']],
    ['failed', ['Roll back to rev 3 (3.12.0)…']],
    ['degraded', ['Roll back to rev 3 (3.12.0)…']],
  ] as const)('of a workload that is %s is %j, and a rollback is offered all the same', (state, expected) => {
    show({ state, controls });
    expect(filled()).toEqual(expected);
    expect(rollbackButton()).toBeDefined();
  });

  test('resumes what is paused', () => {
    show({ state: 'paused', paused: true, controls });
    expect(filled()).toEqual(['Resume…p']);
  });

  test('is left to the undo after a rollback', () => {
    show({ state: 'degraded', controls }, { rolledBack: true });
    expect(filled()).toEqual([]);
  });
});
