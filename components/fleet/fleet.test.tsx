// @vitest-environment jsdom
import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { withNuqsTestingAdapter } from 'nuqs/adapters/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Fleet } from '@/components/fleet/fleet';
import { updateConnection } from '@/components/ui/connection';
import { useFooterNote } from '@/components/ui/footer-note';
import type { WorkloadItem } from '@/lib/api/workloads';
import { minutesAgo, sampleItem, sampleNowMs } from '@/test/samples';
import { push } from '@/test/router';
import { stubResizeObserver } from '@/test/resize-observer';
import { setNoPreferences } from '@/test/preferences';

vi.mock('next/navigation', () => import('@/test/router'));

let items: WorkloadItem[];
let pages: string[];

beforeEach(() => {
  pages = [];
  push.mockReset();
  updateConnection({ link: 'live', cluster: 'connected', observedAt: minutesAgo(0), message: null });
  vi.useFakeTimers({ now: sampleNowMs, toFake: ['Date'] });
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: query.includes('>='),
    addEventListener() {},
    removeEventListener() {},
  }));
  stubResizeObserver();
  vi.stubGlobal('scrollTo', () => {});
  vi.stubGlobal('fetch', (path: string) => {
    if (path.startsWith('/api/workloads?')) pages.push(path);
    const from = Number(new URL(path, 'http://x').searchParams.get('cursor') ?? 0);
    return Promise.resolve(
      Response.json({
        observedAt: minutesAgo(0),
        stale: false,
        items: items.slice(from, from + 3),
        nextCursor: from + 3 < items.length ? String(from + 3) : null,
        partial: [{ resource: 'daemonsets.apps', reason: 'Listing daemonsets.apps answered 403.' }],
        counts: { total: items.length, byState: {}, changedInLastHour: 0, moreThanOneLive: 0 },
        namespaces: ['shop'],
      }),
    );
  });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function open(search = '') {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  setNoPreferences(client);
  const Address = withNuqsTestingAdapter({ searchParams: search, hasMemory: true });
  render(<Fleet />, {
    wrapper: ({ children }) => (
      <Address>
        <QueryClientProvider client={client}>
          {children}
          <FooterNote />
        </QueryClientProvider>
      </Address>
    ),
  });
  await waitFor(() => expect(screen.queryByText('Loading workloads')).toBeNull());
  return { refetch: () => act(() => client.invalidateQueries({ queryKey: ['fleet'] })) };
}

function FooterNote() {
  return <p aria-label="Note">{useFooterNote()}</p>;
}

function selected(): (string | undefined)[] {
  return screen
    .getAllByRole('row')
    .filter((row) => row.getAttribute('aria-selected') === 'true')
    .map((row) => row.querySelector('b')?.textContent);
}

test('reads all pages, and links every row to its workload', async () => {
  items = Array.from({ length: 7 }, (_, index) => sampleItem({ name: `w${index}` }));
  await open();
  await waitFor(() =>
    expect(screen.getAllByRole('rowheader').filter((cell) => cell.querySelector('a'))).toHaveLength(7),
  );
  expect(pages).toHaveLength(3);
  const link = screen.getByRole('link', { name: /w6/ });
  expect(link.getAttribute('href')).toBe('/workloads/deployments.apps/shop/w6');
});

test('leaves the selection on its workload when the list is refetched and rows move', async () => {
  items = [sampleItem({ name: 'a' }), sampleItem({ name: 'b' })];
  const { refetch } = await open();
  await userEvent.keyboard('jj');
  expect(selected()).toEqual(['b']);
  items = [sampleItem({ name: 'a' }), sampleItem({ name: 'b', state: 'stuck', message: 'none ready' })];
  await refetch();
  await waitFor(() => expect(screen.getByText('none ready')).toBeTruthy());
  expect(selected()).toEqual(['b']);
});

test('shows text from the cluster as plain text', async () => {
  const hostile = '<img src=x onerror=alert(1)>';
  items = [
    sampleItem({
      message: hostile,
      images: [{ container: hostile, image: hostile }],
      lastRollout: {
        from: 1,
        to: 2,
        startedAt: null,
        notAfter: null,
        writer: { manager: hostile, operation: 'Update', time: null },
        changeCause: hostile,
        restart: false,
        record: null,
      },
    }),
  ];
  await open();
  await waitFor(() => expect(screen.getAllByText(hostile).length).toBeGreaterThan(1));
  expect(document.querySelector('img')).toBeNull();
});

test('names what could not be read, with the reason', async () => {
  items = [sampleItem()];
  await open();
  expect(await screen.findByText(/answered 403/)).toBeTruthy();
});

test('says that a search has no match, names the nearest and offers a reset', async () => {
  items = [sampleItem({ name: 'checkout' })];
  await open('?q=chekout&namespace=payments');
  expect(screen.getByText('No workloads match “chekout” in payments')).toBeTruthy();
  expect(screen.getByText(/^Did you mean/).textContent).toContain('checkout (shop)?');
  await userEvent.click(screen.getByRole('button', { name: 'Clear filters' }));
  expect(await screen.findByRole('row', { name: /checkout/ })).toBeTruthy();
});

test('counts no chip as zero for a search without a match, and names the active filters by their labels', async () => {
  items = [sampleItem({ name: 'checkout' }), sampleItem({ name: 'cart' })];
  await open('?q=zzz&namespace=shop&group=look&changedSince=7d&severalLive=true');
  expect(screen.getByRole('button', { name: 'All' })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Needs attention' })).toBeTruthy();
  expect(screen.getByLabelText('Note').textContent).toBe('0 of 2 workloads');
  expect(
    screen.getByText(
      'Active filters: namespace shop, needs attention, changed in the last 7 days, mixed revisions.',
    ),
  ).toBeTruthy();
});

test('shows in the footer how many of how many match, and the total of an unfiltered fleet', async () => {
  items = [sampleItem({ name: 'checkout' }), sampleItem({ name: 'cart' })];
  await open();
  expect(screen.getByLabelText('Note').textContent).toBe('2 workloads');
  await userEvent.type(screen.getByRole('searchbox'), 'cart');
  expect(screen.getByLabelText('Note').textContent).toBe('1 of 2 workloads');
  expect(screen.getByRole('button', { name: /^All ?1$/ })).toBeTruthy();
});

test('does not show a fleet without workloads as a failed search', async () => {
  items = [];
  await open();
  expect(screen.getByText('No workloads')).toBeTruthy();
});

test('shows one banner and no counts for a cluster that was never reached', async () => {
  items = [];
  updateConnection({ cluster: 'unreachable', observedAt: null, message: 'The API server does not answer.' });
  await open();
  expect((await screen.findByRole('status')).textContent).toMatch(/The API server does not answer/);
  expect(document.body.textContent).not.toMatch(/\b0\b|last hour|No workloads|daemonsets/);
});

test('shows a state and no outcome for an open rollout, and one word for both stalled states', async () => {
  const openRollout = (name: string, state: WorkloadItem['state']) =>
    sampleItem({
      name,
      state,
      lastRollout: {
        ...(sampleItem().lastRollout ?? expect.fail('no rollout')),
        startedAt: minutesAgo(5),
        record: {
          id: name,
          outcome: null,
          startedAt: minutesAgo(5),
          endedAt: null,
          actor: null,
          cause: null,
        },
      },
    });
  items = [openRollout('alpha', 'stuck'), openRollout('beta', 'deadlineExceeded')];
  await open();
  const row = await screen.findByRole('row', { name: /alpha/ });
  expect(row.textContent).toContain('Stalled');
  expect(row.textContent).not.toMatch(/completed|none yet/i);
  expect(screen.getByText('2 stalled')).toBeTruthy();
});

test('labels a held workload as waiting for approval only where its rollout waits for a person', async () => {
  items = [
    sampleItem({ name: 'alpha', state: 'held', awaitsApproval: true }),
    sampleItem({ name: 'beta', state: 'held' }),
  ];
  await open();
  expect((await screen.findByRole('row', { name: /alpha/ })).textContent).toContain('Waiting for approval');
  expect(screen.getByRole('row', { name: /beta/ }).textContent).toContain('Held');
});

test('compares the selected workload with the previous revision by a key', async () => {
  items = [sampleItem({ name: 'cart' })];
  await open();
  await userEvent.keyboard('jc');
  expect(push).toHaveBeenCalledWith('/workloads/deployments.apps/shop/cart/compare?from=4&to=rs-5');
});

test('shows who began the last rollout and how it ended, and finds people by name', async () => {
  const lastRollout = {
    ...(sampleItem().lastRollout ?? expect.fail('no rollout')),
    record: {
      id: 'rec',
      outcome: 'completed' as const,
      startedAt: minutesAgo(3_000),
      endedAt: minutesAgo(2_998),
      actor: { name: 'maja.lind', source: 'managedFields' as const, manager: 'argocd-controller' },
      cause: null,
    },
  };
  items = [sampleItem({ name: 'a', lastRollout }), sampleItem({ name: 'b' })];
  await open('?q=maja');
  const row = await screen.findByRole('row', { name: /maja\.lind/ });
  expect(row.textContent).toContain('maja.lind via Argo CD');
  expect(row.textContent).toContain('2 min');
  expect(row.textContent).toContain('Completed');
  expect(screen.queryByRole('link', { name: /^b shop/ })).toBeNull();
});

test('offers the action that is due in its row and by a key, with the target where it is focused', async () => {
  const rollout = { resource: 'rollouts.argoproj.io', namespace: 'shop', name: 'canary' };
  items = [
    sampleItem({
      name: 'bad',
      state: 'stuck',
      dueAction: { action: 'rollback', label: 'Roll back', rollout: null },
    }),
    sampleItem({
      name: 'canary',
      state: 'held',
      awaitsApproval: true,
      dueAction: { action: 'approve', label: 'Promote step 2', rollout },
    }),
    sampleItem({ name: 'fine' }),
  ];
  await open();
  const promote = await screen.findByRole('link', { name: 'Promote… canary' });
  expect(promote.getAttribute('href')).toBe('/rollouts/rollouts.argoproj.io/shop/canary?action=approve');
  expect(screen.getByRole('link', { name: 'Roll back… bad' }).getAttribute('href')).toContain(
    '?rollback=default',
  );
  expect(screen.queryByRole('link', { name: /… fine/ })).toBeNull();
  await userEvent.keyboard('ja');
  expect(push).toHaveBeenCalledWith('/workloads/deployments.apps/shop/bad?rollback=default');
});
