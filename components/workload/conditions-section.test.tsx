// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { sampleDetail } from '@/test/samples';
import { ConditionsSection } from '@/components/workload/conditions-section';

afterEach(cleanup);

test('a kind that kubectl does not know has no line of kubectl, which would read as an error', () => {
  const { workload } = sampleDetail();
  const kubectlStatus =
    'error: no status viewer has been implemented for LeaderWorkerSet.leaderworkerset.x-k8s.io';
  const { container } = render(<ConditionsSection workload={{ ...workload, kubectlStatus }} />);
  expect(container.textContent).toBe('');
});

test('a line of kubectl that the viewer can not see is left out', () => {
  const { workload } = sampleDetail();
  const conditions = [condition('Available', 'True')];
  render(<ConditionsSection workload={{ ...workload, conditions, kubectlStatus: '' }} />);
  expect(screen.queryByText(/kubectl/)).toBeNull();
  expect(screen.getByText('Available')).toBeDefined();
});

const condition = (type: string, status: string) => ({
  ...{ type, status, reason: null, message: null, lastTransitionTime: null, lastUpdateTime: null },
});

test.each([
  ['complete', [condition('Available', 'False')], false],
  ['stuck', [condition('Available', 'True'), condition('ReplicaFailure', 'False')], false],
  ['stuck', [condition('Progressing', 'False')], true],
  ['degraded', [condition('ReplicaFailure', 'True')], true],
  ['degraded', [condition('Paused', 'False')], false],
  ['held', [condition('Progressing', 'Unknown')], false],
] as const)('of a workload that is %s with %j are open: %s', (state, conditions, isOpen) => {
  const { workload } = sampleDetail();
  const { container } = render(<ConditionsSection workload={{ ...workload, state, conditions }} />);
  expect(container.querySelector('details')?.open).toBe(isOpen);
  expect(screen.getByRole('heading', { name: 'Conditions' })).toBeTruthy();
});
