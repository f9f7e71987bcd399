// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { withNuqsTestingAdapter } from 'nuqs/adapters/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FleetTimeline } from '@/components/fleet-timeline/fleet-timeline';
import { updateConnection } from '@/components/ui/connection';
import type { Timeline } from '@/lib/api/timeline';
import { minutesAgo, sampleNowMs } from '@/test/samples';
import { stubResizeObserver } from '@/test/resize-observer';
import { setNoPreferences } from '@/test/preferences';

vi.mock('next/navigation', () => import('@/test/router'));

let answer: () => Promise<Response>;

beforeEach(() => {
  updateConnection({ link: 'live', cluster: 'connected', observedAt: minutesAgo(0), message: null });
  vi.useFakeTimers({ now: sampleNowMs, toFake: ['Date'] });
  const media = { matches: true, addEventListener() {}, removeEventListener() {} };
  vi.stubGlobal('matchMedia', () => media);
  stubResizeObserver();
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(900);
  vi.stubGlobal('fetch', (path: string) =>
    path.startsWith('/api/timeline') ? answer() : new Promise(() => {}),
  );
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function open() {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  setNoPreferences(client);
  const Address = withNuqsTestingAdapter();
  render(
    <Address>
      <QueryClientProvider client={client}>
        <FleetTimeline />
      </QueryClientProvider>
    </Address>,
  );
}

const none: Timeline = {
  from: minutesAgo(60),
  to: minutesAgo(0),
  items: [],
  more: 0,
  counts: {},
  density: { partMs: 60_000, parts: [] },
  oldestAt: minutesAgo(600),
  places: [{ namespace: 'shop', resource: 'deployments.apps' }],
  partial: [],
};

/** Text that says that there was no rollout. */
function saidNone(): string[] {
  const texts = [document.body.textContent, screen.queryByRole('img')?.getAttribute('aria-label') ?? ''];
  return texts.flatMap((text) => /no rollouts started|No rollouts started|\b0 rollouts/.exec(text) ?? []);
}

test('does not say that no rollouts started before the answer is there', () => {
  answer = () => new Promise(() => {});
  open();
  expect(screen.getByRole('heading', { level: 1 }).textContent).toContain('loading…');
  expect(saidNone()).toEqual([]);
});

test('says that the changes could not be read, and keeps the period within reach', async () => {
  answer = () =>
    Promise.resolve(
      Response.json(
        { error: { code: 'archive_unavailable', message: 'The archive is locked.', details: {} } },
        { status: 503 },
      ),
    );
  open();
  expect(await screen.findByText('The archive is locked.')).toBeTruthy();
  expect(screen.getByRole('heading', { level: 1 }).textContent).toContain('rollouts could not be read.');
  expect(screen.getByRole('group', { name: 'Length' })).toBeTruthy();
  expect(saidNone()).toEqual([]);
});

test('says that no rollouts started once an empty answer is there', async () => {
  answer = () => Promise.resolve(Response.json(none));
  open();
  expect(await screen.findByText('No rollouts started')).toBeTruthy();
  expect(saidNone()).toEqual(['no rollouts started', '0 rollouts']);
});

test('does not say that no rollouts started in a period that was not recorded', async () => {
  answer = () => Promise.resolve(Response.json({ ...none, oldestAt: minutesAgo(30) }));
  open();
  expect(await screen.findByText('No rollouts recorded')).toBeTruthy();
  expect(screen.getByRole('heading', { level: 1 }).textContent).toContain('no rollouts recorded');
  expect(saidNone()).toEqual(['0 rollouts']);
});
