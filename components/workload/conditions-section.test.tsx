// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { sampleDetail } from '@/test/samples';
import { ConditionsSection } from '@/components/workload/conditions-section';

afterEach(cleanup);

test('a kind that kubectl does not know is no error of the workload', () => {
  const { workload } = sampleDetail();
  const kubectlStatus =
    'error: no status viewer has been implemented for LeaderWorkerSet.leaderworkerset.x-k8s.io';
  render(<ConditionsSection workload={{ ...workload, kubectlStatus }} />);
  expect(screen.getByText(/does not support this kind/)).toBeTruthy();
  expect(screen.queryByText(/error/)).toBeNull();
});
