// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { withNuqsTestingAdapter } from 'nuqs/adapters/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Rollouts } from '@/components/rollouts/rollouts';
import { rollout } from '@/components/rollouts/testing/fixtures';
import { updateConnection } from '@/components/ui/connection';
import { minutesAgo, sampleItem } from '@/test/samples';
import { stubResizeObserver } from '@/test/resize-observer';
import { setNoPreferences } from '@/test/preferences';

vi.mock('next/navigation', () => import('@/test/router'));

const live = { observedAt: minutesAgo(0), stale: false, nextCursor: null, partial: [] };
const steps = (...items: ReturnType<typeof rollout>[]) => ({
  ...live,
  items,
  counts: { total: items.length, byState: items.length > 0 ? { waiting: items.length } : {} },
  served: true,
});
const plain = (...items: ReturnType<typeof sampleItem>[]) => ({
  ...live,
  items,
  counts: { total: items.length, byState: {}, changedInLastHour: 0, moreThanOneLive: 0 },
  namespaces: ['shop'],
});

let answers: { progressive: object | number | null; plain: object | number | null };

beforeEach(() => {
  updateConnection({ link: 'live', cluster: 'connected', observedAt: minutesAgo(0), message: null });
  stubResizeObserver();
  vi.stubGlobal('fetch', (path: string) => {
    const answer = path.startsWith('/api/rollouts') ? answers.progressive : answers.plain;
    if (answer === null) return new Promise(() => undefined);
    if (typeof answer !== 'number') return Promise.resolve(Response.json(answer));
    const body = { error: { code: 'internal', message: 'Internal error in Shiplog.', details: {} } };
    return Promise.resolve(Response.json(body, { status: answer }));
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function open(search = '') {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  setNoPreferences(client);
  const Address = withNuqsTestingAdapter({ searchParams: search, hasMemory: true });
  render(
    <Address>
      <QueryClientProvider client={client}>
        <Rollouts />
      </QueryClientProvider>
    </Address>,
  );
}

const rows = () =>
  [...document.querySelectorAll('[data-row]')].map((row) => row.getAttribute('data-row')?.split('/').at(-1));

test('lists progressive and plain rollouts together, the most urgent first', async () => {
  answers = {
    progressive: steps(rollout()),
    plain: plain(sampleItem({ name: 'web', state: 'rolling' }), sampleItem({ name: 'api', state: 'stuck' })),
  };
  open();
  await screen.findByText('at step 2 of 3');
  expect(rows()).toEqual(['api', 'cart', 'web']);
  expect(screen.getByRole('button', { name: /^In progress/ }).textContent).toContain('3');
});

test('the filter for progressive ones in the address leaves plain ones out', async () => {
  answers = { progressive: steps(rollout()), plain: plain(sampleItem({ name: 'web', state: 'rolling' })) };
  open('?type=progressive');
  await screen.findByText('at step 2 of 3');
  expect(rows()).toEqual(['cart']);
});

test.each([
  ['Plain rollouts', { progressive: steps(rollout()), plain: 500 }, ['cart']],
  [
    'Progressive rollouts',
    { progressive: 500, plain: plain(sampleItem({ name: 'web', state: 'held' })) },
    ['web'],
  ],
])('names the half that failed and shows the other: %s', async (name, given, shown) => {
  answers = given;
  open();
  await screen.findByText('Some rollouts are missing.');
  expect(document.body.textContent).toContain(`${name} could not be loaded.`);
  expect(rows()).toEqual(shown);
});

test('says that there is none once both halves have answered, and not before', async () => {
  answers = { progressive: steps(), plain: null };
  open();
  expect(await screen.findByText('Loading rollouts')).toBeTruthy();
  expect(screen.queryByText('No rollouts in progress')).toBeNull();
  cleanup();
  answers = { progressive: steps(), plain: plain() };
  open();
  expect(await screen.findByText('No rollouts in progress')).toBeTruthy();
});

test('shows one error where both halves failed', async () => {
  answers = { progressive: 500, plain: 500 };
  open();
  expect(await screen.findAllByText(/Internal error in Shiplog/)).toHaveLength(1);
});
