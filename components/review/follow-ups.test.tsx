// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { NuqsTestingAdapter, type OnUrlUpdateFunction } from 'nuqs/adapters/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { FollowUps } from '@/components/review/follow-ups';
import { sampleRecordAnswer } from '@/test/record-samples';

const record = sampleRecordAnswer();

const items = ['ben', 'Ana'].map((person) => ({
  ...record,
  id: person,
  review: { ...record.review, verdict: 'followUp', by: 'cleo', followUp: { person, due: '2026-09-24' } },
}));

/** `assignedToMe` is null for an anonymous viewer. */
function answer(assignedToMe: number | null) {
  vi.stubGlobal('fetch', (path: string) => {
    const isOwn = path === '/api/review/follow-ups?assignee=me';
    const listed = isOwn ? items.slice(1, 1 + (assignedToMe ?? 0)) : items;
    return Promise.resolve(Response.json({ items: listed, total: 300, assignedToMe, partial: [] }));
  });
}
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function show(search = '') {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const onUrlUpdate = vi.fn<OnUrlUpdateFunction>();
  render(
    <NuqsTestingAdapter searchParams={search} onUrlUpdate={onUrlUpdate} hasMemory>
      <QueryClientProvider client={client}>
        <FollowUps current={null} onChoose={vi.fn()} />
      </QueryClientProvider>
    </NuqsTestingAdapter>,
  );
  return { onUrlUpdate, user: userEvent.setup() };
}

test('the server chooses what is assigned to the viewer, and the address says so', async () => {
  answer(1);
  const { onUrlUpdate, user } = show();
  expect(await screen.findAllByRole('listitem')).toHaveLength(2);
  expect(screen.getByRole('heading').textContent).toContain('Follow-ups 300');
  expect(screen.getByRole('link').getAttribute('href')).toBe('/records?mentions=me');
  await user.click(screen.getByRole('button', { name: /Assigned to me ?1/ }));
  await waitFor(() => expect(screen.getByRole('listitem').textContent).toContain('Ana'));
  expect(onUrlUpdate.mock.lastCall?.[0].queryString).toBe('?assignee=me');
});

test('a link with the filter opens with it, and says that nothing is assigned', async () => {
  answer(0);
  show('?assignee=me');
  expect(await screen.findByText('No open follow-up is assigned to you.')).toBeTruthy();
});

test('an anonymous viewer has no such filter', async () => {
  answer(null);
  show();
  expect(await screen.findAllByRole('listitem')).toHaveLength(2);
  expect(screen.queryByRole('button', { name: /Assigned to me/ })).toBeNull();
  expect(screen.queryByRole('link')).toBeNull();
});
