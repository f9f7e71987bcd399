// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { NuqsTestingAdapter } from 'nuqs/adapters/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Review } from '@/components/review/review';
import { isDue } from '@/components/review/review-address';
import { type RecordItem } from '@/lib/api/records';
import { recordsKey } from '@/lib/queries/records';
import { ago, ledgerNowMs, sampleRecordAnswer } from '@/test/ledger';

let queue: RecordItem[];

beforeEach(() => {
  queue = ['r1', 'r2', 'r3'].map((id) => sampleRecordAnswer({ id }));
  vi.stubGlobal('fetch', (path: string) =>
    path.startsWith('/api/records')
      ? Promise.resolve(Response.json({ items: queue, nextCursor: null }))
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

test('j and k go through the queue, and whoever is done comes to the next', async () => {
  const { user } = show();
  await screen.findByText('under review: r1');
  await user.keyboard('j');
  await user.click(await screen.findByText('under review: r2'));
  await screen.findByText('under review: r3');
  await user.keyboard('kk');
  expect(await screen.findByText('under review: r1')).toBeDefined();
});

test('a record that arrives meanwhile does not push away the one under review', async () => {
  const { client } = show();
  await screen.findByText('under review: r1');
  queue = [sampleRecordAnswer({ id: 'r0' }), ...queue];
  await client.invalidateQueries({ queryKey: [...recordsKey, 'list'] });
  await waitFor(() => expect(screen.getByRole('heading', { name: /To review/ }).textContent).toContain('4'));
  expect(screen.getByText('under review: r1')).toBeDefined();
});

test('an open rollout is due once it has been held for a day', () => {
  const held = (minutes: number) => [
    { kind: 'held' as const, from: ago(minutes), to: null, reason: 'partition 3' },
  ];
  expect(isDue({ outcome: null, spans: held(1_441) }, ledgerNowMs)).toBe(true);
  expect(isDue({ outcome: null, spans: held(1_439) }, ledgerNowMs)).toBe(false);
  expect(isDue({ outcome: null, spans: [] }, ledgerNowMs)).toBe(false);
  expect(isDue({ outcome: 'failed', spans: [] }, ledgerNowMs)).toBe(true);
});
