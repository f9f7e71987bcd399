// @vitest-environment jsdom
import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TimelineDrawing } from '@/components/timeline/timeline-drawing';
import { timelineRevisions } from '@/components/timeline/timeline-section';
import type { WorkloadDetail } from '@/lib/api/workloads';
import type { PodTrack } from '@/lib/api/earlier-incarnation';
import { buildLanes } from '@/lib/timeline/lanes';
import {
  minutesAgo,
  sampleDetail,
  sampleEvent,
  sampleNowMs,
  samplePod,
  sampleRevision,
  sampleRenumbered,
} from '@/test/samples';
import { stubResizeObserver } from '@/test/resize-observer';

beforeEach(() => {
  stubResizeObserver();
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
      lanes={buildLanes(timelineRevisions(detail.revisions, [samplePod()], track, sampleNowMs), sampleNowMs)}
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
  revisions: [sampleRenumbered({ pods: { total: 3, ready: 3 } }), sampleRevision(6)],
});

test('gives the bounds of an unknown start in the table', () => {
  show(rolledBack);
  const table = screen.getByRole('table', { name: 'Active periods of cart' });
  const row = within(table).getByRole('row', { name: /^7/ });
  expect(row.textContent).toContain('Between');
  expect(row.textContent).toContain('Active');
});

test('reaches and chooses lanes by keys, and highlights their revision', async () => {
  const { onSelect, onPoint } = show(rolledBack);
  const lane = screen.getByRole('button', {
    name: /^Revision 7, was 3, version 1.7.0, target, 3 of 3 pods ready/,
  });
  lane.focus();
  expect(onPoint).toHaveBeenLastCalledWith('a');
  await userEvent.keyboard('{Enter}');
  expect(onSelect).toHaveBeenCalledExactlyOnceWith('a');
});

test('lists in the legend what is drawn and nothing else', () => {
  show(rolledBack);
  expect(screen.getByText('Gray hatch: not observed')).toBeTruthy();
  expect(screen.getByText('Rollback')).toBeTruthy();
  expect(screen.queryByText('Red hatch: not ready')).toBeNull();
});

test('shows text of events as plain text', () => {
  const { container } = show(rolledBack);
  expect(container.querySelector('b')).toBeNull();
  expect(container.textContent).toContain('<b>hostile</b>');
});

describe('a bar', () => {
  const recorded = sampleDetail({
    revisions: [
      sampleRevision(7, {
        id: 'a',
        target: true,
        live: true,
        pods: { total: 3, ready: 3 },
        activations: [
          {
            number: 7,
            from: minutesAgo(60),
            fromNotBefore: null,
            fromNotAfter: null,
            to: null,
            open: true,
            record: {
              id: 'rec-7',
              outcome: 'completed',
              startedAt: minutesAgo(60),
              endedAt: minutesAgo(57),
              actor: { name: 'maja.lind', source: 'managedFields', manager: 'argocd-controller' },
              cause: '<i>express checkout</i>',
            },
          },
        ],
      }),
      sampleRevision(6, { retained: false, archived: { prunedAt: minutesAgo(50), hasTemplate: true } }),
    ],
  });

  test('shows its rollout and links the record and the fleet at that time; Escape goes back', async () => {
    show(recorded);
    const bar = screen.getByRole('button', { name: /^Revision 7, 1.7.0, .*completed in 3 min$/ });
    bar.focus();
    await userEvent.keyboard('{Enter}');
    const card = screen.getByRole('dialog', { name: /^Revision 7/ });
    expect(card.textContent).toContain('Completed in 3 min');
    expect(card.textContent).toContain('maja.lind via Argo CD');
    expect(card.textContent).toContain('<i>express checkout</i>');
    const links = within(card).getAllByRole('link');
    expect(links.map((link) => link.getAttribute('href'))).toEqual([
      '/records/rec-7',
      `/timeline?${new URLSearchParams({ at: minutesAgo(60) })}`,
    ]);
    await userEvent.keyboard('{Escape}');
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(document.activeElement).toBe(bar);
  });

  test('of an archived revision is on a lane that says so', () => {
    show(recorded);
    expect(screen.getByRole('button', { name: 'Revision 6, version 1.6.0, archived' })).toBeTruthy();
  });

  test('is in the table with outcome, changed by and change cause', () => {
    show(recorded);
    const row = within(screen.getByRole('table')).getByRole('row', { name: /^7/ });
    expect(row.textContent).toContain('Completed in 3 min');
    expect(row.textContent).toContain('maja.lind via Argo CD');
  });
});
