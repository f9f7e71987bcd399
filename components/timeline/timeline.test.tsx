// @vitest-environment jsdom
import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TimelineDrawing } from '@/components/timeline/timeline-drawing';
import { timelineRevisions } from '@/components/timeline/timeline-revisions';
import { type PodTrack, type WorkloadDetail } from '@/lib/api/workloads';
import { lanesOf } from '@/lib/timeline/lanes';
import {
  minutesAgo,
  sampleDetail,
  sampleEvent,
  sampleNowMs,
  samplePod,
  sampleRevision,
} from '@/test/samples';

beforeEach(() => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      disconnect() {}
    },
  );
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function show(detail: WorkloadDetail, track?: PodTrack) {
  const onSelect = vi.fn();
  const onPoint = vi.fn();
  const { container } = render(
    <TimelineDrawing
      subject={{
        name: detail.workload.name,
        createdAt: detail.workload.createdAt,
        state: detail.workload.state,
        desired: detail.workload.pods.desired,
        end: 'now',
      }}
      lanes={lanesOf(timelineRevisions(detail.revisions, [samplePod()], track, sampleNowMs), sampleNowMs)}
      events={[sampleEvent({ reason: '<b>hostile</b>' })]}
      stretch="all"
      nowMs={sampleNowMs}
      lanesMax={20}
      compact={false}
      pointed={null}
      onPoint={onPoint}
      onSelect={onSelect}
    />,
  );
  return { onSelect, onPoint, container };
}

const rolledBack = sampleDetail({
  revisions: [
    sampleRevision(7, {
      id: 'a',
      target: true,
      live: true,
      pods: { total: 3, ready: 3 },
      alsoNumbers: [3],
      createdAt: minutesAgo(40_000),
      activations: [
        {
          number: 3,
          from: minutesAgo(40_000),
          fromNotBefore: null,
          fromNotAfter: null,
          to: null,
          open: false,
          record: null,
        },
        {
          number: 7,
          from: null,
          fromNotBefore: minutesAgo(60),
          fromNotAfter: minutesAgo(26),
          to: null,
          open: true,
          record: null,
        },
      ],
    }),
    sampleRevision(6),
  ],
});

test('the table says of an unknown beginning between which times it lies', () => {
  show(rolledBack);
  const table = screen.getByRole('table', { name: 'When each revision of cart was the target' });
  const row = within(table).getByRole('row', { name: /^7/ });
  expect(row.textContent).toContain('not recorded, between');
  expect(row.textContent).toContain('still the target');
});

test('lanes are reached and chosen by keys, and point at their revision', async () => {
  const { onSelect, onPoint } = show(rolledBack);
  const lane = screen.getByRole('button', {
    name: /^Revision 7, was 3, version 1.7.0, the target, 3 of 3 pods ready/,
  });
  lane.focus();
  expect(onPoint).toHaveBeenLastCalledWith('a');
  await userEvent.keyboard('{Enter}');
  expect(onSelect).toHaveBeenCalledExactlyOnceWith('a');
});

test('the legend names what is drawn and nothing else', () => {
  show(rolledBack);
  expect(screen.getByText('hatched grey: not recorded')).toBeTruthy();
  expect(screen.getByText('rollback')).toBeTruthy();
  expect(screen.queryByText('hatched red: not ready')).toBeNull();
});

test('text of events stays text', () => {
  const { container } = show(rolledBack);
  expect(container.querySelector('b')).toBeNull();
  expect(container.textContent).toContain('<b>hostile</b>');
});
