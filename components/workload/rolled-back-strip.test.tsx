// @vitest-environment jsdom
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { clustersQuery } from '@/components/queries/cluster';
import { findLastRollback } from '@/lib/history/rolled-back';
import { RolledBackStrip } from '@/components/workload/rolled-back-strip';
import type { RolloutSummary } from '@/lib/api/records';
import { minutesAgo, sampleDetail, sampleNowMs, sampleRevision } from '@/test/samples';
import { renderWith } from '@/test/render';

beforeEach(() => void vi.useFakeTimers({ now: sampleNowMs, toFake: ['Date'] }));
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const record: RolloutSummary = {
  id: 'back',
  outcome: 'completed',
  startedAt: minutesAgo(20),
  endedAt: minutesAgo(19),
  actor: { name: 'maja.lind', source: 'shiplog', manager: null },
  cause: 'rollback to revision 3 (was 4): sessions were lost',
};

/** A rollback of revision 4 renumbered revision 3 to 5. */
function rolledBack(at = minutesAgo(20)) {
  const base = sampleRevision(5).activations[0];
  if (base === undefined) throw new Error('a sample has an activation');
  const activations = [
    { ...base, number: 3, record: { ...record, id: 'first' } },
    { ...base, number: 5, from: at, to: null, open: true, record },
  ];
  const lastRollout = {
    ...{ from: 4, to: 5, startedAt: at, notAfter: null, writer: null, changeCause: null, restart: false },
    record,
  };
  return sampleDetail({
    workload: { lastRollout },
    revisions: [sampleRevision(5, { target: true, activations }), sampleRevision(4)],
  });
}

function show(detail = rolledBack(), onRelease?: () => void) {
  const onRollback = vi.fn();
  const rollback = findLastRollback(detail);
  if (rollback === null) throw new Error('no rollback');
  const client = new QueryClient();
  client.setQueryData(clustersQuery().queryKey, { readOnly: isReadOnly } as never);
  renderWith(
    client,
    <RolledBackStrip rollback={rollback} blocked={null} onRollback={onRollback} onRelease={onRelease} />,
  );
  return onRollback;
}
let isReadOnly = false;

test('shows every viewer a rollback, its author and its reason, with the undo', () => {
  isReadOnly = false;
  const onRollback = show();
  expect(document.body.textContent).toMatch(
    /^Rolled back from rev 4 to rev 3 \(now rev 5\) by maja\.lind.*: “sessions were lost” · Record/,
  );
  fireEvent.click(screen.getByRole('button', { name: 'Undo…' }));
  expect(onRollback.mock.calls).toEqual([['rs-4']]);
});

test('offers the release of its fields only where there are some', () => {
  isReadOnly = false;
  const onRelease = vi.fn();
  show(rolledBack(), onRelease);
  fireEvent.click(screen.getByRole('button', { name: 'Release fields…' }));
  expect(onRelease).toHaveBeenCalledOnce();
  cleanup();
  show();
  expect(screen.queryByRole('button', { name: 'Release fields…' })).toBeNull();
});

test('offers neither undo nor release to a viewer who cannot write', () => {
  isReadOnly = true;
  show(rolledBack(), vi.fn());
  expect(screen.queryByRole('button')).toBeNull();
});

describe('the last rollback', () => {
  test('is found without an archive, from the numbers alone', () => {
    const { workload, revisions } = rolledBack();
    const [target, left] = revisions;
    if (!target || !left || !workload.lastRollout) throw new Error('no sample');
    const activations = target.activations.slice(-1).map((each) => ({ ...each, record: null }));
    const found = findLastRollback({
      workload: { lastRollout: { ...workload.lastRollout, record: null } },
      revisions: [{ ...target, activations, alsoNumbers: [3] }, left],
    });
    expect(found).toMatchObject({ from: 4, to: 3, now: 5, record: null, undo: { id: 'rs-4' } });
  });

  test('is over with the next rollout, and is not what undid it', () => {
    const { workload, revisions } = rolledBack();
    const [former, left] = revisions;
    if (!former || !left || !workload.lastRollout) throw new Error('no sample');
    expect(findLastRollback(sampleDetail())).toBeNull();
    const undone = {
      workload: { lastRollout: { ...workload.lastRollout, from: 5, to: 6 } },
      revisions: [
        {
          ...left,
          number: 6,
          alsoNumbers: [4],
          target: true,
          before: { id: former.id, number: 5, ran: true },
        },
        { ...former, target: false, alsoNumbers: [3] },
      ],
    };
    expect(findLastRollback(undone)).toBeNull();
  });
});
