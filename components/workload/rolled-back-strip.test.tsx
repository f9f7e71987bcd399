// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RolledBackStrip } from '@/components/workload/rolled-back-strip';
import { type RolloutSummary } from '@/lib/api/records';
import { minutesAgo, sampleDetail, sampleNowMs, sampleRevision } from '@/test/samples';

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
  cause: 'sessions were lost',
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

test('shows every viewer a rollback, its author and its reason, with the way forward again', () => {
  const onRollback = vi.fn();
  render(
    <RolledBackStrip detail={rolledBack()} isShownElsewhere={false} blocked={null} onRollback={onRollback} />,
  );
  expect(document.body.textContent).toMatch(
    /^Rolled back to revision 3 \(now 5\) by maja\.lind.*: “sessions were lost”\. Record/,
  );
  fireEvent.click(screen.getByRole('button', { name: 'Undo: roll forward to rev 4…' }));
  expect(onRollback.mock.calls).toEqual([['rs-4']]);
});

test.each([
  ['the target is new', sampleDetail()],
  ['it was long ago', rolledBack(minutesAgo(20_000))],
])('shows nothing where %s', (_, detail) => {
  const { container } = render(
    <RolledBackStrip detail={detail} isShownElsewhere={false} blocked={null} onRollback={vi.fn()} />,
  );
  expect(container.textContent).toBe('');
});

test('shows a rollback once in the tab that follows it', () => {
  const { container } = render(
    <RolledBackStrip detail={rolledBack()} isShownElsewhere blocked={null} onRollback={vi.fn()} />,
  );
  expect(container.textContent).toBe('');
});
