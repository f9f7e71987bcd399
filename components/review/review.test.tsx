// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query';
import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { NuqsTestingAdapter } from 'nuqs/adapters/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Review } from '@/components/review/review';
import type { BulkReviewRequest } from '@/lib/api/review';
import type { QueuedRecord } from '@/lib/api/review-queue';
import { recordsKey } from '@/components/queries/records';
import { minutesAgo, sampleRecordAnswer } from '@/test/record-samples';
import { renderWith } from '@/test/render';

vi.mock('next/navigation', () => import('@/test/router'));

let queue: QueuedRecord[];
let isPhone: boolean;
let verdicts: { id: string | undefined; body: unknown }[];
let refusalOf: (id: string) => string | null;
const scrollTo = vi.fn();
const scrollIntoView = vi.fn();
const usual = { namespaces: [], teams: [], only: 'all', restarts: false, minAgeMs: 0 };
const rules = { rules: usual, usualRules: usual, namespaces: ['shop'], teamLabel: 'team' };

beforeEach(() => {
  // An hour apart: those of one hour are a group.
  queue = ['r1', 'r2', 'r3'].map((id, index) =>
    sampleRecordAnswer({ id, startedAt: minutesAgo(60 * index + 2), endedAt: minutesAgo(60 * index) }),
  );
  verdicts = [];
  refusalOf = () => null;
  sessionStorage.clear();
  isPhone = false;
  vi.stubGlobal('matchMedia', () => ({
    matches: isPhone,
    addEventListener() {},
    removeEventListener() {},
  }));
  vi.stubGlobal('scrollTo', scrollTo);
  Element.prototype.scrollIntoView = scrollIntoView;
  vi.stubGlobal('fetch', (path: string, { method, body }: { method?: string; body?: string }) => {
    if (path === '/api/review' && method === 'PUT') {
      const { records, ...given } = JSON.parse(body ?? 'null') as BulkReviewRequest;
      for (const { id } of records) verdicts.push({ id, body: given });
      const items = records.map(({ id }) => ({ id, error: refusalOf(id), review: null }));
      const saved = items.filter(({ error }) => error === null).map(({ id }) => id);
      queue = queue.filter(({ id }) => !saved.includes(id));
      return Promise.resolve(Response.json({ items }));
    }
    if (/^\/api\/review(\?|$)/.test(path)) {
      return Promise.resolve(Response.json({ ...rules, items: queue, nextCursor: null }));
    }
    const id = /^\/api\/records\/(\w+)/.exec(path)?.[1];
    if (method === 'PUT') {
      verdicts.push({ id, body: JSON.parse(body ?? 'null') as unknown });
      queue = queue.filter((record) => record.id !== id);
      return Promise.resolve(Response.json({ review: { ...sampleRecordAnswer().review, version: 1 } }));
    }
    if (id !== undefined) return Promise.resolve(Response.json(sampleRecordAnswer({ id })));
    return new Promise(() => {});
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function show() {
  const client = new QueryClient();
  renderWith(
    client,
    <NuqsTestingAdapter hasMemory>
      <Review>{(id) => <p>under review: {id}</p>}</Review>
    </NuqsTestingAdapter>,
  );
  return { client, user: userEvent.setup() };
}

test('moves through the queue with j and k, and to the next record after a verdict', async () => {
  const { user } = show();
  await screen.findByText('under review: r1');
  await user.keyboard('j');
  await screen.findByText('under review: r2');
  await screen.findByRole('button', { name: 'Save and next' });
  await user.keyboard('g{Control>}{Enter}{/Control}');
  await screen.findByText('under review: r3');
  await user.keyboard('kk');
  expect(await screen.findByText('under review: r1')).toBeDefined();
  expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Record under review' }));
});

test('gives one verdict to a selection by keys, and says at the end what was given', async () => {
  const { user } = show();
  await screen.findByText('under review: r1');
  await screen.findByRole('button', { name: 'Save and next' });
  await user.keyboard('a');
  expect(screen.getByText('3 rollouts selected')).toBeDefined();
  await user.keyboard('xg{Control>}{Enter}{/Control}');
  await screen.findByRole('button', { name: 'Save and next' });
  expect(verdicts.map(({ id }) => id)).toEqual(['r2', 'r3']);
  expect(verdicts[0]?.body).toEqual({ verdict: 'good', comment: '', followUp: null });
  expect(screen.getByText('under review: r1')).toBeDefined();
  await user.keyboard('b{Control>}{Enter}{/Control}');
  expect(await screen.findByText('2 good and 1 bad.')).toBeDefined();
  expect(screen.getByRole('link', { name: 'Open report' }).getAttribute('href')).toBe('/review/report');
});

test('lists what of a selection was not saved, and leaves it selected', async () => {
  const { user } = show();
  await screen.findByText('under review: r1');
  await screen.findByRole('button', { name: 'Save and next' });
  refusalOf = (id) => (id === 'r2' ? 'Disk full.' : null);
  await user.keyboard('Ag');
  await user.click(screen.getByRole('button', { name: 'Save 3' }));
  const problem = await screen.findByRole('alert');
  expect(problem.textContent).toMatch(/^1 verdict not saved:cart.*Disk full\./);
  expect(screen.getByText('1 rollout selected')).toBeDefined();
  refusalOf = () => null;
  await user.click(screen.getByRole('button', { name: 'Save 1' }));
  await screen.findByText('3 good.');
  expect(verdicts.map(({ id }) => id)).toEqual(['r1', 'r2', 'r3', 'r2']);
});

test('selects by mouse: one, a range with Shift, and a group at once', async () => {
  queue = ['r1', 'r2', 'r3', 'r4'].map((id, index) =>
    sampleRecordAnswer({ id, startedAt: minutesAgo(34 + index), endedAt: minutesAgo(33) }),
  );
  queue = queue.map((record, index) =>
    index < 2 ? record : { ...record, workload: { ...record.workload, name: `single-${index}` } },
  );
  const { user } = show();
  await user.click(await screen.findByRole('checkbox', { name: 'Select all 2 of cart' }));
  expect(screen.getByText('2 rollouts selected')).toBeDefined();
  await user.keyboard('{Escape}');
  expect(screen.queryByText(/selected/)).toBeNull();
  await user.click(screen.getByRole('checkbox', { name: /^Select single-3/ }));
  await user.keyboard('{Shift>}');
  await user.click(screen.getByRole('checkbox', { name: /^Select single-2/ }));
  await user.keyboard('{/Shift}');
  expect(screen.getByText('2 rollouts selected')).toBeDefined();
});

test('does not replace the record under review when another one arrives', async () => {
  const { client } = show();
  await screen.findByText('under review: r1');
  queue = [sampleRecordAnswer({ id: 'r0', startedAt: minutesAgo(1) }), ...queue];
  await client.invalidateQueries({ queryKey: [...recordsKey, 'queue'] });
  await waitFor(() => expect(screen.getByRole('heading', { name: /To review/ }).textContent).toContain('4'));
  expect(screen.getByText('under review: r1')).toBeDefined();
});

test('shows the record before the queue on a phone, with its neighbors, and the verdict after both', async () => {
  isPhone = true;
  const { user } = show();
  const record = await screen.findByText('under review: r1');
  const queueTitle = screen.getByRole('heading', { name: /^To review/ });
  expect(record.compareDocumentPosition(queueTitle)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  const verdict = await screen.findByRole('button', { name: 'Good' });
  expect(queueTitle.compareDocumentPosition(verdict)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  expect(screen.getByText('1 of 3 to review')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Next record' }));
  await screen.findByText('under review: r2');
  expect(screen.getByText('2 of 3 to review')).toBeDefined();
  // Any scroll position in the list below ends the page at its beginning.
  const orderOf = (calls: typeof scrollTo) => calls.mock.invocationCallOrder.at(-1) ?? 0;
  expect(orderOf(scrollIntoView)).toBeGreaterThan(0);
  expect(orderOf(scrollTo)).toBeGreaterThan(orderOf(scrollIntoView));
});
