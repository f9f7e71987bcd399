// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { NuqsTestingAdapter } from 'nuqs/adapters/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Review } from '@/components/review/review';
import { type QueuedRecord } from '@/lib/api/review-queue';
import { recordsKey } from '@/components/queries/records';
import { sampleRecordAnswer } from '@/test/record-samples';

vi.mock('next/navigation', () => import('@/test/router'));

let queue: QueuedRecord[];
let isPhone: boolean;
const scrollTo = vi.fn();
const scrollIntoView = vi.fn();
const usual = { namespaces: [], teams: [], only: 'all', restarts: false, minAgeMs: 0 };
const rules = { rules: usual, usualRules: usual, namespaces: ['shop'], teamLabel: 'team' };

beforeEach(() => {
  queue = ['r1', 'r2', 'r3'].map((id) => sampleRecordAnswer({ id }));
  isPhone = false;
  vi.stubGlobal('matchMedia', () => ({
    matches: isPhone,
    addEventListener() {},
    removeEventListener() {},
  }));
  vi.stubGlobal('scrollTo', scrollTo);
  Element.prototype.scrollIntoView = scrollIntoView;
  vi.stubGlobal('fetch', (path: string) =>
    /^\/api\/review(\?|$)/.test(path)
      ? Promise.resolve(Response.json({ ...rules, items: queue, nextCursor: null }))
      : new Promise(() => {}),
  );
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function show() {
  const client = new QueryClient();
  render(
    <QueryClientProvider client={client}>
      <NuqsTestingAdapter hasMemory>
        <Review>
          {(id, onDone) => (
            <button type="button" onClick={onDone}>
              under review: {id}
            </button>
          )}
        </Review>
      </NuqsTestingAdapter>
    </QueryClientProvider>,
  );
  return { client, user: userEvent.setup() };
}

test('moves through the queue with j and k, and to the next record after a verdict', async () => {
  const { user } = show();
  await screen.findByText('under review: r1');
  await user.keyboard('j');
  await user.click(await screen.findByText('under review: r2'));
  await screen.findByText('under review: r3');
  await user.keyboard('kk');
  expect(await screen.findByText('under review: r1')).toBeDefined();
  expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Record under review' }));
});

test('does not replace the record under review when another one arrives', async () => {
  const { client } = show();
  await screen.findByText('under review: r1');
  queue = [sampleRecordAnswer({ id: 'r0' }), ...queue];
  await client.invalidateQueries({ queryKey: [...recordsKey, 'queue'] });
  await waitFor(() => expect(screen.getByRole('heading', { name: /To review/ }).textContent).toContain('4'));
  expect(screen.getByText('under review: r1')).toBeDefined();
});

test('shows the record before the queue on a phone, with its neighbors and the verdict in reach', async () => {
  isPhone = true;
  const { user } = show();
  const record = await screen.findByText('under review: r1');
  const queueTitle = screen.getByRole('heading', { name: /^To review/ });
  expect(record.compareDocumentPosition(queueTitle)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  expect(screen.getByText('1 of 3 to review')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Next record' }));
  await screen.findByText('under review: r2');
  expect(screen.getByText('2 of 3 to review')).toBeDefined();
  // Any scroll position in the list below ends the page at its beginning.
  const orderOf = (calls: typeof scrollTo) => calls.mock.invocationCallOrder.at(-1) ?? 0;
  expect(orderOf(scrollIntoView)).toBeGreaterThan(0);
  expect(orderOf(scrollTo)).toBeGreaterThan(orderOf(scrollIntoView));
});
