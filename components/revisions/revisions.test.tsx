// @vitest-environment jsdom
import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  pairSideLabel,
  selectedPair,
  targetPair,
  toggleSelected,
} from '@/components/revisions/revision-pair';
import { historyOfWorkload } from '@/components/revisions/revision-history';
import { buildHistoryRows, type HistoryOrder } from '@/components/revisions/revision-rows';
import { RevisionsSection } from '@/components/revisions/revisions-section';
import type { WorkloadDetail } from '@/lib/api/workloads';
import { minutesAgo, sampleDetail, sampleNowMs, sampleRevision, sampleRenumbered } from '@/test/samples';

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

const nothingSelected = { from: null, to: null };

function rowsOf(
  { revisions, gaps = [] }: { revisions: WorkloadDetail['revisions']; gaps?: readonly number[] },
  order: HistoryOrder = 'rollouts',
) {
  return buildHistoryRows({ revisions, gaps }, sampleNowMs, order);
}

function show(
  detail: WorkloadDetail,
  { order = 'revisions', ...given }: Partial<Parameters<typeof RevisionsSection>[0]> = {},
) {
  const onSelect = vi.fn();
  const onRollback = vi.fn();
  const section = (now: WorkloadDetail) => (
    <QueryClientProvider client={new QueryClient()}>
      <RevisionsSection
        history={historyOfWorkload(now)}
        rows={rowsOf(now, order)}
        order={order}
        onOrder={() => {}}
        selection={nothingSelected}
        comparable
        current={null}
        pointed={null}
        onPoint={() => {}}
        onSelect={onSelect}
        onRollback={onRollback}
        blocked={null}
        {...given}
      />
    </QueryClientProvider>
  );
  const { rerender, container } = render(section(detail));
  return { onSelect, onRollback, container, update: (next: WorkloadDetail) => rerender(section(next)) };
}

function rowOf(label: string): HTMLElement {
  const found = screen.getAllByRole('rowheader').find((cell) => cell.textContent?.startsWith(label));
  const row = found?.closest<HTMLElement>('[role=row]');
  if (!row) throw new Error(`no row ${label}`);
  return row;
}

const reused = sampleRenumbered({
  explanation: 'Formerly revision 3; renumbered to 7 by a rollback at 2026-09-17 12:06:00 UTC or earlier.',
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
    expect(row.textContent).toContain('Formerly revision 3; renumbered to 7');
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
  expect(rowOf('4').textContent).toContain('Copied from rev 3');
  expect(rowOf('4').textContent).not.toContain('fix rounding');
});

test('says that a revision has no template, and why it cannot be rolled back to', () => {
  const odd = sampleRevision(4, { fault: 'It holds no data.', summary: null });
  show(sampleDetail({ revisions: [sampleRevision(5, { target: true }), odd, sampleRevision(3)] }));
  expect(rowOf('4').textContent).toContain('Unreadable');
  expect(rowOf('4').textContent).toContain('It holds no data. Its recorded content is listed below.');
  const back = screen.getByRole('button', { name: /^Roll back… to rev 4: It holds no data/ });
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
  expect(screen.getByText('Revisions 7–8 no longer retained')).toBeTruthy();
  expect(screen.getByText('Revisions 1–2 no longer retained')).toBeTruthy();
  expect(screen.getByText(/has no owner/).textContent).toContain('cart-old');
});

test('sorts rows in order, with the gaps in their places', () => {
  const rows = rowsOf({ revisions: [sampleRevision(9), sampleRevision(5)], gaps: [7, 2] }, 'revisions');
  expect(rows.map((row) => (row.kind === 'gap' ? -row.to : row.revision.number))).toEqual([9, -7, 5, -2]);
});

describe('the list of rollouts', () => {
  const [first] = sampleRevision(3).activations;
  if (!first) throw new Error('a sample has an activation');
  const change = { summary: 'image 1.2.0 → 1.3.0', risks: 0, restart: false };
  const back = sampleRevision(5, {
    target: true,
    live: true,
    alsoNumbers: [3],
    summary: 'image 1.4.0 → 1.3.0',
    before: { id: 'rs-4', number: 4, ran: true },
    activations: [
      { ...first, number: 3, change },
      { ...first, number: 5, from: minutesAgo(20), to: null, open: true },
    ],
  });
  const history = { revisions: [back, sampleRevision(4), sampleRevision(2)] };

  test('has a row for every time that a revision was the target, the newest on top', () => {
    const rows = rowsOf(history);
    expect(rows.map((row) => row.kind === 'revision' && row.number)).toEqual([5, 4, 3, 2]);
    expect(new Set(rows.map(({ key }) => key)).size).toBe(4);
  });

  test('says of a rollback whose template it is, and compares each row with what ran before it', () => {
    show(sampleDetail(history), { order: 'rollouts' });
    expect(rowOf('5').textContent).toContain('Same template as rev 3');
    expect(within(rowOf('5')).getByTitle('image 1.4.0 → 1.3.0')).toBeTruthy();
    expect(rowOf('3').textContent).toContain('image 1.2.0 → 1.3.0');
    expect(rowOf('3').textContent).not.toContain('Same template');
    expect(rowOf('3').textContent).toContain('Now rev 5');
    expect(within(rowOf('3')).queryByRole('button')).toBeNull();
    expect(screen.getByRole('table', { name: 'Rollouts of cart' })).toBeTruthy();
  });

  test('keeps a revision of unknown times at the place of its number, and leaves out what never ran', () => {
    const unknown = sampleRevision(4, { activations: [] });
    const faulty = sampleRevision(3, { activations: [], fault: 'It holds no data.' });
    const rows = rowsOf({ revisions: [sampleRevision(5), unknown, faulty, sampleRevision(2)] });
    expect(rows.map((row) => row.kind === 'revision' && row.number)).toEqual([5, 4, 2]);
  });

  test('is not offered where no time is known', () => {
    const revisions = [sampleRevision(5, { activations: [] }), sampleRevision(4, { activations: [] })];
    show(sampleDetail({ revisions }), { order: 'rollouts' });
    expect(screen.getByRole('table', { name: 'Revisions of cart' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: /^Rollouts/ })).toBeNull();
  });
});

describe('what is selected for comparison', () => {
  const { revisions } = sampleDetail();
  const rows = rowsOf({ revisions });

  test('survives changes of the history', () => {
    const selection = { from: 'rs-3', to: 'rs-4' };
    const pruned = rowsOf({ revisions: revisions.slice(0, 2) });
    expect(selectedPair(rows, selection, null)).toEqual(selection);
    expect(selectedPair(pruned, selection, null)).toEqual(selection);
    expect(pairSideLabel(revisions.slice(0, 2), 'rs-3')).toBe('a deleted revision');
  });

  test('is compared from the older to the newer, in whatever order it was selected', () => {
    expect(selectedPair(rows, { from: 'rs-5', to: 'rs-3' }, null)).toEqual({ from: 'rs-3', to: 'rs-5' });
  });

  test('is what ran before too, where only one row is selected or the keyboard is on it', () => {
    expect(selectedPair(rows, { from: 'rs-4', to: null }, null)).toEqual({ from: 'rs-3', to: 'rs-4' });
    expect(selectedPair(rows, nothingSelected, 'rs-5')).toEqual({ from: 'rs-4', to: 'rs-5' });
    expect(selectedPair(rows, nothingSelected, 'rs-3')).toBeNull();
    expect(selectedPair(rows, nothingSelected, null)).toBeNull();
  });

  test('is no pair where both rows are of one revision', () => {
    expect(selectedPair(rows, { from: 'rs-5@0', to: 'rs-5' }, null)).toBeNull();
  });

  test('is cleared by selecting it again, and a third row takes the place of the first', () => {
    expect(toggleSelected({ from: 'a', to: 'b' }, 'a')).toEqual({ from: 'b', to: null });
    expect(toggleSelected({ from: 'a', to: 'b' }, 'b')).toEqual({ from: 'a', to: null });
    expect(toggleSelected({ from: 'a', to: 'b' }, 'c')).toEqual({ from: 'b', to: 'c' });
    expect(toggleSelected({ from: 'a', to: null }, 'b')).toEqual({ from: 'a', to: 'b' });
  });

  test('is set by a click on a row and by its checkbox', async () => {
    const { onSelect } = show(sampleDetail(), { selection: { from: 'rs-4', to: null } });
    await userEvent.click(screen.getByRole('checkbox', { name: 'Select rev 3 to compare' }));
    await userEvent.click(within(rowOf('5')).getByText(/image/));
    expect(onSelect.mock.calls).toEqual([['rs-3'], ['rs-5']]);
    expect(screen.getByRole('checkbox', { name: 'Select rev 4 to compare' })).toHaveProperty('checked', true);
  });

  test('has what ran before the target, whatever its number and whatever a rollback would offer', () => {
    const before = { id: 'rs-3', number: 3, ran: true };
    const renumbered = revisions.map((each) => (each.target ? { ...each, before } : each));
    expect(targetPair(renumbered)).toEqual({ from: 'rs-3', to: 'rs-5' });
    expect(targetPair(revisions)).toEqual({ from: 'rs-4', to: 'rs-5' });
    expect(selectedPair(rowsOf({ revisions: renumbered }), nothingSelected, 'rs-5')).toEqual({
      from: 'rs-3',
      to: 'rs-5',
    });
  });
});

test('offers a rollback to any revision but the target, unless nothing can be changed', async () => {
  const { onRollback, update } = show(sampleDetail());
  expect(screen.queryByRole('button', { name: /^Roll back… to rev 5$/ })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: /^Roll back… to rev 3$/ }));
  expect(onRollback).toHaveBeenCalledExactlyOnceWith('rs-3');
  update(sampleDetail());
  cleanup();
  const refused = show(sampleDetail(), { blocked: 'The workload was deleted.' });
  await userEvent.click(screen.getByRole('button', { name: /^Roll back… to rev 3/ }));
  expect(refused.onRollback).not.toHaveBeenCalled();
});

test('says why a revision cannot be decoded, and neither compares it nor rolls back to it', async () => {
  const unreadable = 'It cannot be decoded: its zstd data is damaged.';
  const broken = sampleRevision(2, {
    summary: null,
    unreadable,
    notes: ['succeeded', 'published as winter'],
  });
  const { onRollback } = show(sampleDetail({ revisions: [...sampleDetail().revisions, broken] }));
  const { textContent } = rowOf('2');
  expect(textContent).toContain(`Unreadablesucceeded · published as winter${unreadable}`);
  expect(screen.getByRole('checkbox', { name: 'Select rev 2 to compare' })).toHaveProperty('disabled', true);
  await userEvent.click(screen.getByRole('button', { name: /rev 2: It cannot be decoded/ }));
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
    const { onRollback, onSelect } = show(detail);
    expect(screen.getByText('5 revisions, 1 live, 2 archived')).toBeTruthy();
    expect(rowOf('2').textContent).toContain('Archived');
    expect(rowOf('2').textContent).toContain('Pruned');
    await userEvent.click(screen.getByRole('checkbox', { name: 'Select rev 2 to compare' }));
    expect(onSelect).toHaveBeenCalledWith('rs-2');
    await userEvent.click(screen.getByRole('button', { name: /^Roll back… to rev 2$/ }));
    expect(onRollback).toHaveBeenCalledExactlyOnceWith('rs-2');
  });

  test('without a template allows neither, and says why', async () => {
    const { onRollback } = show(detail);
    expect(screen.getByRole('checkbox', { name: 'Select rev 1 to compare' })).toHaveProperty(
      'disabled',
      true,
    );
    await userEvent.click(screen.getByRole('button', { name: /rev 1: Its template has expired/ }));
    expect(onRollback).not.toHaveBeenCalled();
    expect(selectedPair(rowsOf(detail), nothingSelected, 'rs-2')).toBeNull();
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
  expect(rowOf('5').textContent).not.toContain('compared with');
  expect(rowOf('4').textContent).toContain('compared with rev 5');
  expect(within(rowOf('3')).getByText('compared with rev 1').title).toContain('unknown');
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
  expect(row.textContent).toContain('jonas.weber via Shiplog');
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
