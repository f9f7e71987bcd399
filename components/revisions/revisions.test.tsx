// @vitest-environment jsdom
import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  isComplete,
  pairSideLabel,
  resolvePair,
  pairWithPrevious,
  stepPair,
} from '@/components/revisions/revision-pair';
import { historyOfWorkload } from '@/components/revisions/revision-history';
import { buildRevisionRows } from '@/components/revisions/revision-rows';
import { RevisionsSection } from '@/components/revisions/revisions-section';
import { type WorkloadDetail } from '@/lib/api/workloads';
import { minutesAgo, sampleDetail, sampleNowMs, sampleRevision } from '@/test/samples';

beforeEach(() => {
  vi.useFakeTimers({ now: sampleNowMs, toFake: ['Date'] });
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: query.includes('>='),
    addEventListener() {},
    removeEventListener() {},
  }));
  vi.stubGlobal('fetch', () => new Promise(() => {}));
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function show(detail: WorkloadDetail, given: Partial<Parameters<typeof RevisionsSection>[0]> = {}) {
  const onPair = vi.fn();
  const onRollback = vi.fn();
  const section = (now: WorkloadDetail) => (
    <QueryClientProvider client={new QueryClient()}>
      <RevisionsSection
        history={historyOfWorkload(now)}
        pair={resolvePair(now.revisions, { from: null, to: null })}
        comparable
        onPair={onPair}
        current={null}
        pointed={null}
        onPoint={() => {}}
        onSelect={() => {}}
        onRollback={onRollback}
        blocked={null}
        {...given}
      />
    </QueryClientProvider>
  );
  const { rerender, container } = render(section(detail));
  return { onPair, onRollback, container, update: (next: WorkloadDetail) => rerender(section(next)) };
}

function rowOf(label: string): HTMLElement {
  const found = screen.getAllByRole('rowheader').find((cell) => cell.textContent?.startsWith(label));
  const row = found?.closest<HTMLElement>('[role=row]');
  if (!row) throw new Error(`no row ${label}`);
  return row;
}

const reused = sampleRevision(7, {
  id: 'a',
  target: true,
  live: true,
  alsoNumbers: [3],
  createdAt: minutesAgo(40_000),
  explanation:
    'Revision 3 became 7 when it was rolled back to; that was not later than 2026-09-17 12:06:00 UTC.',
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
});

describe('a revision that was rolled back to', () => {
  test('shows when it was the target, not when its object was created', () => {
    show(sampleDetail({ revisions: [reused, sampleRevision(6)] }));
    const row = rowOf('7');
    expect(row.textContent).toContain('was 3');
    expect(row.textContent).toMatch(/\d\d:32–\d\d:06/);
    expect(row.textContent).not.toContain('20 Aug');
    expect(row.textContent).toContain('26 min to 1 h');
  });

  test('explains its number with a time in the format of the page', () => {
    show(sampleDetail({ revisions: [reused, sampleRevision(6)] }));
    const row = rowOf('7');
    expect(row.textContent).toContain('Revision 3 became 7');
    expect(within(row).getByText(/^\d\d:06$/).tagName).toBe('TIME');
  });
});

test('shows a revision of unknown time as such', () => {
  show(
    sampleDetail({
      revisions: [sampleRevision(5, { target: true }), sampleRevision(4, { activations: [] })],
    }),
  );
  expect(rowOf('4').textContent).toContain('unknown');
});

test('does not present a copied change cause as the change cause', () => {
  const inherited = sampleRevision(4, { changeCause: 'fix rounding', causeInheritedFrom: 3 });
  show(sampleDetail({ revisions: [sampleRevision(5, { target: true }), inherited] }));
  expect(rowOf('4').textContent).toContain('inherited from 3');
  expect(rowOf('4').textContent).not.toContain('fix rounding');
});

test('says that a revision has no template, and why it cannot be rolled back to', () => {
  const odd = sampleRevision(4, { fault: 'It holds no data.', summary: null });
  show(sampleDetail({ revisions: [sampleRevision(5, { target: true }), odd, sampleRevision(3)] }));
  expect(rowOf('4').textContent).toContain('can’t be read');
  expect(rowOf('4').textContent).toContain('It holds no data. What it holds is below, as it was recorded.');
  const back = screen.getByRole('button', { name: /^Roll back… to revision 4: It holds no data/ });
  expect(back.getAttribute('aria-disabled')).toBe('true');
});

test('shows text from the cluster as plain text', () => {
  const hostile = '<img src=x onerror=alert(1)>';
  const { container } = show(
    sampleDetail({
      revisions: [
        sampleRevision(5, { target: true, changeCause: hostile, summary: hostile }),
        sampleRevision(4, { name: hostile, explanation: hostile }),
      ],
      warnings: [hostile],
      orphans: [{ name: hostile, number: 1, createdAt: minutesAgo(9) }],
    }),
  );
  expect(container.querySelector('img')).toBeNull();
  expect(container.textContent).toContain(hostile);
});

test('shows missing numbers as missing, and orphans apart', () => {
  show(
    sampleDetail({
      revisions: [sampleRevision(9, { target: true }), sampleRevision(5)],
      gaps: [1, 2, 7, 8],
      orphans: [{ name: 'cart-old', number: 4, createdAt: minutesAgo(9) }],
    }),
  );
  expect(screen.getByText('Revisions 7–8 are kept no longer')).toBeTruthy();
  expect(screen.getByText('Revisions 1–2 are kept no longer')).toBeTruthy();
  expect(screen.getByText(/belongs to no workload/).textContent).toContain('cart-old');
});

test('sorts rows in order, with the gaps in their places', () => {
  const rows = buildRevisionRows(
    { revisions: [sampleRevision(9), sampleRevision(5)], gaps: [7, 2] },
    sampleNowMs,
  );
  expect(rows.map((row) => (row.kind === 'gap' ? -row.to : row.revision.number))).toEqual([9, -7, 5, -2]);
});

describe('what is chosen for comparison', () => {
  test('survives changes of the history', () => {
    const chosen = { from: 'rs-3', to: 'rs-4' };
    const before = sampleDetail();
    const after = sampleDetail({ revisions: [sampleRevision(6, { target: true }), ...before.revisions] });
    expect(resolvePair(before.revisions, chosen)).toEqual(chosen);
    expect(resolvePair(after.revisions, chosen)).toEqual(chosen);
    const gone = sampleDetail({ revisions: before.revisions.slice(0, 2) });
    expect(resolvePair(gone.revisions, chosen)).toEqual(chosen);
    expect(pairSideLabel(gone.revisions, 'rs-3')).toBe('one that is gone');
  });

  test('defaults to the rollback target and the target', () => {
    expect(resolvePair(sampleDetail().revisions, { from: null, to: null })).toEqual({
      from: 'rs-4',
      to: 'rs-5',
    });
  });

  test('is no pair when the target became what was chosen for the other side', () => {
    expect(resolvePair(sampleDetail().revisions, { from: 'rs-5', to: null })).toEqual({
      from: 'rs-5',
      to: null,
    });
    expect(isComplete(resolvePair(sampleDetail().revisions, { from: 'rs-5', to: 'rs-5' }))).toBe(false);
  });

  test('moves by one revision, with the previous one', () => {
    const { revisions } = sampleDetail();
    expect(pairWithPrevious(revisions, 'rs-5')).toEqual({ from: 'rs-4', to: 'rs-5' });
    expect(stepPair(revisions, { from: 'rs-4', to: 'rs-5' }, 1)).toEqual({ from: 'rs-3', to: 'rs-4' });
    expect(stepPair(revisions, { from: 'rs-3', to: 'rs-4' }, 1)).toBeNull();
  });

  test('has what ran before the target, whatever its number and whatever a rollback would offer', () => {
    const { revisions } = sampleDetail();
    const before = { id: 'rs-3', number: 3, ran: true };
    const renumbered = revisions.map((each) => (each.target ? { ...each, before } : each));
    expect(resolvePair(renumbered, { from: null, to: null })).toEqual({ from: 'rs-3', to: 'rs-5' });
    expect(pairWithPrevious(renumbered, 'rs-5')).toEqual({ from: 'rs-3', to: 'rs-5' });
  });

  test('is set by the radio button of a row', async () => {
    const { onPair } = show(sampleDetail());
    await userEvent.click(screen.getByRole('radio', { name: 'Compare from 3' }));
    expect(onPair).toHaveBeenCalledWith({ from: 'rs-3' });
  });
});

test('offers a rollback to any revision but the target, unless nothing can be changed', async () => {
  const { onRollback, update } = show(sampleDetail());
  expect(screen.queryByRole('button', { name: /^Roll back… ?to revision 5$/ })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: /^Roll back… ?to revision 3$/ }));
  expect(onRollback).toHaveBeenCalledExactlyOnceWith('rs-3');
  update(sampleDetail());
  cleanup();
  const refused = show(sampleDetail(), { blocked: 'It is no longer there.' });
  await userEvent.click(screen.getByRole('button', { name: /^Roll back… ?to revision 3/ }));
  expect(refused.onRollback).not.toHaveBeenCalled();
});

test('says why a revision cannot be decoded, and neither compares it nor rolls back to it', async () => {
  const unreadable = 'It cannot be decoded: its zstd data is broken.';
  const broken = sampleRevision(2, {
    summary: null,
    unreadable,
    notes: ['succeeded', 'published as winter'],
  });
  const { onRollback } = show(sampleDetail({ revisions: [...sampleDetail().revisions, broken] }));
  const { textContent } = rowOf('2');
  expect(textContent).toContain(`cannot be decodedsucceeded · published as winter${unreadable}`);
  expect(screen.getByRole('radio', { name: 'Compare from 2' })).toHaveProperty('disabled', true);
  await userEvent.click(screen.getByRole('button', { name: /revision 2: It cannot be decoded/ }));
  expect(onRollback).not.toHaveBeenCalled();
});

describe('a revision that only the archive has', () => {
  const archived = sampleRevision(2, {
    retained: false,
    archived: { prunedAt: minutesAgo(2_000), hasTemplate: true },
  });
  const expired = sampleRevision(1, {
    retained: false,
    archived: { prunedAt: null, hasTemplate: false },
  });
  const detail = sampleDetail({ revisions: [...sampleDetail().revisions, archived, expired] });

  test('shows since when it is pruned, and can be compared and rolled back to', async () => {
    const { onRollback, onPair } = show(detail);
    expect(screen.getByText('5, of which 1 live and 2 archived')).toBeTruthy();
    expect(rowOf('2').textContent).toContain('archived');
    expect(rowOf('2').textContent).toContain('dropped');
    await userEvent.click(screen.getByRole('radio', { name: 'Compare from 2' }));
    expect(onPair).toHaveBeenCalledWith({ from: 'rs-2' });
    await userEvent.click(screen.getByRole('button', { name: /^Roll back… to revision 2$/ }));
    expect(onRollback).toHaveBeenCalledExactlyOnceWith('rs-2');
  });

  test('without a template allows neither, and says why', async () => {
    const { onRollback } = show(detail);
    expect(screen.getByRole('radio', { name: 'Compare from 1' })).toHaveProperty('disabled', true);
    await userEvent.click(screen.getByRole('button', { name: /revision 1: Its template has expired/ }));
    expect(onRollback).not.toHaveBeenCalled();
    expect(pairWithPrevious(detail.revisions, 'rs-2')).toBeNull();
    expect(resolvePair(detail.revisions, { from: null, to: null }).from).toBe('rs-4');
  });
});

test('names the revision that a change is relative to, unless that is the row below and known to have run', () => {
  const [five, four, three] = sampleDetail().revisions;
  if (!five || !four || !three) throw new Error('no sample');
  const revisions = [
    { ...five, before: { id: 'rs-4', number: 4, ran: true } },
    { ...four, before: { id: 'rs-5', number: 5, ran: true } },
    { ...three, before: { id: 'rs-1', number: 1, ran: false } },
  ];
  show(sampleDetail({ revisions }));
  expect(rowOf('5').textContent).not.toContain('against');
  expect(rowOf('4').textContent).toContain('against rev 5');
  expect(within(rowOf('3')).getByText('against rev 1').title).toContain('not known');
});

test('shows the outcome of a rollout and who began it, with a link to the record', () => {
  const [first, ...others] = sampleDetail().revisions;
  const [activation] = first?.activations ?? [];
  if (!first || !activation) throw new Error('no activation');
  const record = {
    id: 'rec-5',
    outcome: 'rolledBack' as const,
    startedAt: minutesAgo(60),
    endedAt: minutesAgo(16),
    actor: { name: 'jonas.weber', source: 'shiplog' as const, manager: null },
    cause: 'hotfix startup',
  };
  show(sampleDetail({ revisions: [{ ...first, activations: [{ ...activation, record }] }, ...others] }));
  const row = rowOf('5');
  const link = within(row).getByRole('link', { name: 'Rolled back after 44 min' });
  expect(link.getAttribute('href')).toBe('/records/rec-5');
  expect(row.textContent).toContain('jonas.weber Shiplog');
  expect(row.textContent).toContain('hotfix startup');
});

test('shows no state in the place of the outcome of an open rollout', () => {
  const [first, ...others] = sampleDetail().revisions;
  const [activation] = first?.activations ?? [];
  if (!first || !activation) throw new Error('no activation');
  const times = { startedAt: minutesAgo(60), endedAt: null };
  const record = { id: 'rec-5', outcome: null, ...times, actor: null, cause: null };
  show(sampleDetail({ revisions: [{ ...first, activations: [{ ...activation, record }] }, ...others] }));
  const link = within(rowOf('5')).getByRole('link', { name: 'none yet' });
  expect(link.getAttribute('href')).toBe('/records/rec-5');
});

describe('a history of hundreds', () => {
  const long = sampleDetail({
    revisions: Array.from({ length: 300 }, (_, index) =>
      sampleRevision(300 - index, { target: index === 0 }),
    ),
  });

  test('shows its newest part first, all on request', async () => {
    show(long);
    expect(screen.getAllByRole('rowheader')).toHaveLength(30);
    await userEvent.click(screen.getByRole('button', { name: 'Show all 300 revisions' }));
    expect(screen.getAllByRole('rowheader')).toHaveLength(300);
  });

  test('includes the row that the keyboard selected', () => {
    show(long, { current: 'rs-7' });
    expect(rowOf('7')).toBeTruthy();
  });
});
