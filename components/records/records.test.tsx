// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import { NuqsTestingAdapter } from 'nuqs/adapters/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { Records } from '@/components/records/records';
import { recordsKey } from '@/components/queries/records';
import { sampleRecordAnswer } from '@/test/record-samples';
import { setNoPreferences } from '@/test/preferences';

vi.mock('next/navigation', () => import('@/test/router'));

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('shows the last answer, and says so, when the archive cannot be refreshed', async () => {
  let isUnreachable = false;
  vi.stubGlobal('fetch', (path: string) => {
    if (!String(path).includes('/records')) return new Promise(() => {});
    const error = { code: 'archive_unavailable', message: 'The disk is full.', details: {} };
    return Promise.resolve(
      isUnreachable
        ? Response.json({ error }, { status: 503 })
        : Response.json({ items: [sampleRecordAnswer()], nextCursor: null }),
    );
  });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  setNoPreferences(client);
  render(
    <NuqsTestingAdapter>
      <QueryClientProvider client={client}>
        <Records />
      </QueryClientProvider>
    </NuqsTestingAdapter>,
  );
  expect(await screen.findAllByText('cart')).not.toHaveLength(0);
  isUnreachable = true;
  await client.invalidateQueries({ queryKey: recordsKey });
  expect((await screen.findByRole('status')).textContent).toContain('The disk is full.');
  expect(screen.getAllByText('cart')).not.toHaveLength(0);
});
