// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query';
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { NuqsTestingAdapter } from 'nuqs/adapters/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Activity } from '@/components/activity/activity';
import { sampleActivityItem as item } from '@/components/activity/testing/sample-activity-item';
import type { Activity as Answer } from '@/lib/api/activity';
import { setClusters, threeClusters } from '@/test/clusters';
import { renderWith } from '@/test/render';

vi.mock('next/navigation', () => import('@/test/router'));

let answer: { -readonly [Member in keyof Answer]: Answer[Member] };
let requestedUrls: URLSearchParams[];
let address: URLSearchParams;

beforeEach(() => {
  requestedUrls = [];
  address = new URLSearchParams();
  answer = { items: [item()], nextCursor: null, partial: [], notifications: [] };
  vi.stubGlobal('fetch', (path: string) => {
    requestedUrls.push(new URL(path, 'http://localhost').searchParams);
    return Promise.resolve(Response.json(answer));
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function show(search = '', client = new QueryClient({ defaultOptions: { queries: { retry: false } } })) {
  renderWith(
    client,
    <NuqsTestingAdapter
      hasMemory
      searchParams={search}
      onUrlUpdate={({ searchParams }) => (address = searchParams)}
    >
      <Activity />
    </NuqsTestingAdapter>,
  );
  return userEvent.setup();
}

test('names the cluster of each action where there are several', async () => {
  answer = { ...answer, items: [item({ id: 'a1', cluster: 'id-staging' })] };
  const client = new QueryClient();
  setClusters(client, threeClusters);
  show('', client);
  expect((await screen.findAllByRole('row'))[1]?.textContent).toContain('Cluster staging');
});

test('names an action as its button does', async () => {
  const step = { from: 3, to: 4 };
  answer = {
    ...answer,
    items: [
      item({ id: 'a1', action: 'approve', to: null, step, label: 'Approve batch 3' }),
      item({ id: 'a2', action: 'approve', to: null, step }),
      item({ id: 'a3', action: 'promoteFull', to: null }),
    ],
  };
  show();
  const rows = await screen.findAllByRole('row');
  const cells = rows.slice(1).map((row) => within(row).getAllByRole('cell')[2]?.textContent);
  // Where the log does not have the name, the steps contain it.
  expect(cells).toEqual(['Approve batch 3', 'Approve3 → 4', 'Promote full']);
});

test('shows the reason of a rejected or failed action, and links a started rollout to its record', async () => {
  answer = {
    ...answer,
    items: [
      item({
        id: 'a2',
        state: 'refused',
        message: 'The workload is paused.',
        findings: [
          { code: 'paused', message: 'The workload is paused.' },
          { code: 'quota', message: 'The quota is used up.' },
        ],
        apiMessage: 'exceeded quota',
        identity: 'system:ann',
      }),
      item({ recordId: 'r/1' }),
    ],
  };
  show();
  const refused = (await screen.findByText('Rejected', { selector: 'td *' })).closest('tr') as HTMLElement;
  expect(within(refused).getAllByText(/The workload is paused\./)).toHaveLength(1);
  expect(refused.textContent).toContain('The quota is used up.');
  expect(refused.textContent).toContain('API server: exceeded quota');
  expect(refused.textContent).toContain('as system:ann');
  expect(screen.getByRole('link', { name: /^Record/ }).getAttribute('href')).toBe('/records/r%2F1');
});

test('requests the filters of the address, and a click on a person adds one', async () => {
  const user = show('?state=failed&namespace=shop&since=7d');
  await user.click(await screen.findByRole('button', { name: 'ann' }));
  await waitFor(() => expect(address.get('actor')).toBe('ann'));
  expect(Object.fromEntries(requestedUrls[0] ?? [])).toMatchObject({
    state: 'failed',
    namespace: 'shop',
    since: '7d',
  });
  await user.click(screen.getByRole('button', { name: /namespace shop/ }));
  await waitFor(() => expect(requestedUrls.at(-1)?.has('namespace')).toBe(false));
  expect(Object.fromEntries(requestedUrls.at(-1) ?? [])).toMatchObject({ state: 'failed', actor: 'ann' });
});

test('distinguishes no actions from no matches', async () => {
  answer = { ...answer, items: [] };
  const user = show('?state=refused');
  await screen.findByText('No actions match');
  await user.click(screen.getAllByRole('button', { name: 'Clear filters' })[0] as HTMLElement);
  await screen.findByText('No actions yet');
});

test('says that older actions are missing while the archive is unavailable', async () => {
  answer = { ...answer, partial: [{ resource: 'activity', reason: 'The disk is full.' }] };
  show();
  expect(await screen.findByText('Older actions could not be loaded.')).toBeDefined();
  expect(screen.getByText(/The disk is full\./)).toBeDefined();
  expect(screen.getByText('cart')).toBeDefined();
});

test('shows a failing notification target, with since when and why', async () => {
  answer = {
    ...answer,
    notifications: [
      {
        target: 'https://hooks.example/***',
        waiting: 3,
        delivered: 12,
        givenUp: 1,
        lastDeliveredAt: null,
        failingSince: '2026-03-02T09:00:00Z',
        lastError: 'Status 500.',
      },
    ],
  };
  show();
  const line = (await screen.findByText('https://hooks.example/***')).closest('p');
  expect(line?.textContent).toMatch(/failing since .*: Status 500, 3 waiting, 1 dropped, 12 delivered/);
});

test('does not claim that there were no actions when the archive cannot be read', async () => {
  answer = {
    items: [],
    nextCursor: null,
    partial: [{ resource: 'archive', reason: 'The disk is full.' }],
    notifications: [],
  };
  show();
  expect(await screen.findByText('No recent actions')).toBeDefined();
  expect(screen.getByText('Older actions could not be loaded.')).toBeDefined();
});

test('shows the end of an action as unknown when the process that followed it has ended', async () => {
  const gone = { state: 'following' as const, message: 'How it ended is not known.' };
  answer = {
    ...answer,
    items: [
      item({ ...gone, id: 'over', name: 'over', endedAt: '2026-03-03T09:00:00Z' }),
      item({ id: 'open', name: 'open', state: 'following' }),
    ],
  };
  show();
  expect((await screen.findByRole('row', { name: /End unknown.*over/ })).textContent).not.toContain(
    'In progress',
  );
  expect(screen.getByRole('row', { name: /In progress.*open/ })).toBeTruthy();
});

test('folds rejected attempts under the action that followed', async () => {
  answer = {
    ...answer,
    items: [
      item({ id: 'done' }),
      item({ id: 'attempt', state: 'refused', startedAt: '2026-03-02T08:58:00Z', message: 'Not applied.' }),
    ],
  };
  show();
  expect(await screen.findAllByRole('row')).toHaveLength(2);
  expect(screen.getByText('1 rejected attempt before').closest('details')?.textContent).toContain(
    'Not applied.',
  );
});

test('exports what the filters show', async () => {
  const clicked: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    clicked.push(this.href);
  });
  const user = show('?state=failed&namespace=shop');
  await user.click(await screen.findByRole('button', { name: 'Export' }));
  await user.click(await screen.findByRole('menuitem', { name: 'CSV' }));
  expect(clicked[0]).toContain('/api/activity?state=failed&namespace=shop&format=csv&all=1');
});
