// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { WorkloadHead } from '@/components/workload/workload-head';
import { sampleDetail } from '@/test/samples';

vi.mock('next/navigation', () => import('@/test/router'));
afterEach(cleanup);

function show(reverts?: number, rollbackKey?: string) {
  const defaultTarget = { id: 'three', number: 3, why: 'completed on 16 Nov', ...(reverts && { reverts }) };
  render(
    <WorkloadHead
      workload={sampleDetail({ workload: { defaultTarget } }).workload}
      compareHref={null}
      compareLabel=""
      blocked={null}
      rollbackKey={rollbackKey}
      onRollback={vi.fn()}
      onControl={vi.fn()}
    />,
  );
}

test('says before the dialog is open how many rollouts the offered rollback reverts, if more than the last', () => {
  show(3);
  expect(screen.getByText('Rolling back to revision 3 reverts 3 rollouts.')).toBeDefined();
  cleanup();
  show(1);
  expect(screen.queryByText(/^Rolling back to/)).toBeNull();
  cleanup();
  show();
  expect(screen.queryByText(/^Rolling back to/)).toBeNull();
});

test('the button of the rollback names a key only where the key does the same', () => {
  show(1, 'r');
  expect(screen.getByRole('button', { name: /^Roll back/ }).textContent).toBe('Roll back to 3…r');
  cleanup();
  show(1);
  expect(screen.getByRole('button', { name: /^Roll back/ }).textContent).toBe('Roll back to 3…');
});
