// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { NuqsTestingAdapter, type OnUrlUpdateFunction } from 'nuqs/adapters/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FollowUps } from '@/components/review/follow-ups';
import { sessionQuery } from '@/components/queries/session';
import { type Session } from '@/lib/api/session';
import { sampleRecordAnswer } from '@/test/record-samples';

const record = sampleRecordAnswer();

beforeEach(() => {
  const items = ['Ana', 'ben'].map((person) => ({
    ...record,
    id: person,
    review: { ...record.review, verdict: 'followUp', by: 'cleo', followUp: { person, due: '2026-09-24' } },
  }));
  vi.stubGlobal('fetch', (path: string) =>
    Promise.resolve(
      path.startsWith('/api/review/follow-ups')
        ? Response.json({ items, partial: [] })
        : new Response(null, { status: 503 }),
    ),
  );
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function show(mode: Session['mode'], search = '') {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  client.setQueryData(sessionQuery().queryKey, {
    ...{ mode, namesCluster: false, canSignOut: true, provider: null, signOutUrl: null, problem: null },
    viewer: { id: 'user:ana', name: 'ana' },
  });
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

test('a person who has signed in lists only what is assigned to them, and the address says so', async () => {
  const { onUrlUpdate, user } = show('oidc');
  expect(await screen.findAllByRole('listitem')).toHaveLength(2);
  await user.click(screen.getByRole('button', { name: /Assigned to me/ }));
  expect((await screen.findByRole('listitem')).textContent).toContain('Ana');
  expect(onUrlUpdate.mock.lastCall?.[0].queryString).toBe('?assignee=me');
});

test('a link with the filter opens with it', async () => {
  show('oidc', '?assignee=me');
  expect((await screen.findByRole('listitem')).textContent).toContain('Ana');
});

test('an anonymous viewer sees all of them, without the filter', async () => {
  show('anonymous', '?assignee=me');
  expect(await screen.findAllByRole('listitem')).toHaveLength(2);
  expect(screen.queryByRole('button', { name: /Assigned to me/ })).toBeNull();
});
