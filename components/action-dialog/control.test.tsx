// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query';
import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ActionDialog, type WorkloadAction } from '@/components/action-dialog/action-dialog';
import type { ControlAction } from '@/components/action-dialog/control';
import { action, answer, detail } from '@/components/action-dialog/testing/fixtures';
import { group, groups } from '@/lib/workloads/testing/group-items';
import type { Action } from '@/lib/api/action';
import type { ActionAnswer } from '@/lib/api/actions';
import { setClusters, threeClusters } from '@/test/clusters';
import { renderWith } from '@/test/render';

const object = { cluster: undefined, resource: 'statefulsets.apps', namespace: 'shop', name: 'ledger' };
const path = '/api/workloads/statefulsets.apps/shop/ledger';

let sent: { path: string; cluster: string | null; body: Record<string, unknown> }[];
let written: ActionAnswer;

let shown: Parameters<typeof detail>[0];
let followed: Action;

beforeEach(() => {
  sent = [];
  shown = { partition: 3, replicas: 5 };
  followed = action({ action: 'restart', name: 'ledger' });
  written = answer({ diff: null, applied: true, result: { actionId: 'a1', state: 'following' } });
  vi.stubGlobal('fetch', (input: string, init: RequestInit = {}) => {
    const url = new URL(input, 'http://localhost');
    if (init.method !== 'POST') return Promise.resolve(Response.json(read(url.pathname)));
    const body = JSON.parse(typeof init.body === 'string' ? init.body : '') as Record<string, unknown>;
    sent.push({ path: url.pathname, cluster: url.searchParams.get('cluster'), body });
    return Promise.resolve(Response.json(body.dryRun === true ? answer({ diff: null }) : written));
  });
});
afterEach(() => {
  cleanup();
  sessionStorage.clear();
  vi.unstubAllGlobals();
});

function read(pathname: string): unknown {
  if (/^\/api\/workloads(\/[^/]+){3}$/.test(pathname)) return detail(shown);
  if (pathname.startsWith('/api/actions/')) return followed;
  return { items: [], partial: [], observedAt: '2026-09-17T12:32:00Z', stale: false };
}

function open({ cluster, ...action }: Omit<ControlAction, 'kind' | 'object'> & { cluster?: string }) {
  return show({ kind: 'control', object: { ...object, cluster }, ...action });
}
function show(shownAction: WorkloadAction) {
  const onOpenChange = vi.fn();
  renderWith(
    new QueryClient({ defaultOptions: { queries: { retry: false } } }),
    <ActionDialog action={shownAction} open onOpenChange={onOpenChange} />,
  );
  return { user: userEvent.setup(), onOpenChange };
}
const writes = () => sent.filter(({ body }) => body.dryRun === false);
async function whenOn(name: string) {
  await waitFor(() => expect(screen.getByRole('button', { name }).getAttribute('aria-disabled')).toBeNull());
}

it('carries out the previewed action and follows it', async () => {
  const { user } = open({ name: 'restart' });
  await whenOn('Restart ledger');
  await user.type(screen.getByLabelText('Reason'), 'leak{Control>}{Enter}{/Control}');
  expect(await screen.findByText('Restarting ledger')).toBeTruthy();
  expect(writes()).toEqual([
    { path: `${path}/restart`, cluster: null, body: { seen: 'seen-43', reason: 'leak', dryRun: false } },
  ]);
});

it('names the cluster among several in the title, and acts on no other', async () => {
  const client = new QueryClient();
  setClusters(client, threeClusters);
  const { user } = open({ name: 'restart', cluster: 'id-prod-eu' });
  expect(await screen.findByRole('dialog', { name: 'Restart ledger in prod-eu' })).toBeTruthy();
  await whenOn('Restart ledger');
  await user.click(screen.getByRole('button', { name: 'Restart ledger' }));
  await waitFor(() => expect(writes()).toHaveLength(1));
  expect(new Set(sent.map(({ cluster }) => cluster))).toEqual(new Set(['prod-eu']));
});

it('closes when an action ends at once', async () => {
  written = { ...written, result: { actionId: 'a1', state: 'done' } };
  const { user, onOpenChange } = open({ name: 'pause' });
  await whenOn('Pause ledger');
  await user.click(screen.getByRole('button', { name: 'Pause ledger' }));
  await waitFor(() => expect(onOpenChange).toHaveBeenCalledWith(false));
});

it('identifies the pod to delete by its uid', async () => {
  const { user } = open({ name: 'deletePod', pod: { name: 'ledger-2', uid: 'uid-2' } });
  await whenOn('Delete pod ledger-2');
  await user.click(screen.getByRole('button', { name: 'Delete pod ledger-2' }));
  await waitFor(() =>
    expect(writes()[0]).toMatchObject({ path: `${path}/pods/ledger-2/delete`, body: { uid: 'uid-2' } }),
  );
});

it('restarts a group through its leader, and calls it a group', async () => {
  const { user } = open({ name: 'deletePod', pod: { name: 'llama-2', uid: 'uid-2', group: 2 } });
  await whenOn('Restart group 2 of ledger');
  await user.click(screen.getByRole('button', { name: 'Restart group 2 of ledger' }));
  await waitFor(() =>
    expect(writes()[0]).toMatchObject({ path: `${path}/pods/llama-2/delete`, body: { uid: 'uid-2' } }),
  );
});

it('counts groups where the partition does', async () => {
  const items = [0, 1, 2].map((index) => group(index, { updated: index === 2 }));
  shown = {
    ...{ partition: 2, replicas: 3, partitionKeeps: 'ordinals', partitionOf: { noun: 'group', total: 3 } },
    groups: groups(items, { partition: 2 }),
  };
  open({ name: 'partition', partition: 0 });
  await whenOn('Set partition to 0');
  expect(await screen.findByText('2 groups are updated in this order: 1, 0.')).toBeTruthy();
  expect(screen.getByRole('list', { name: 'Groups by number' }).textContent).toBe('012');
  expect(screen.getByText(/Groups from this number up are updated/)).toBeTruthy();
});

it('accepts only another whole number within the replicas as a partition', async () => {
  const { user } = open({ name: 'partition' });
  const field = await screen.findByRole('spinbutton', { name: 'Partition' });
  const confirm = () => screen.getByRole('button', { name: /^Set partition/ });
  for (const wrong of ['3', '6', '-1', '1.5', '']) {
    await user.clear(field);
    if (wrong !== '') await user.type(field, wrong);
    expect(confirm().getAttribute('aria-disabled')).toBe('true');
  }
  await user.clear(field);
  await user.type(field, '1');
  await whenOn('Set partition to 1');
  await user.click(confirm());
  await waitFor(() => expect(writes()).toMatchObject([{ path: `${path}/partition`, body: { to: 1 } }]));
  expect(sent.filter(({ body }) => body.dryRun === true).every(({ body }) => body.to === 1)).toBe(true);
});

const releasable = [{ action: 'releaseFields', enabled: true, reason: null }] as const;
const completed = { state: 'done', name: 'ledger', endedAt: '2026-09-17T12:40:00Z' } as const;

it('releases the fields of a completed rollback in the dialog that followed it', async () => {
  shown = { controls: releasable };
  followed = action(completed);
  const { user } = show({ kind: 'follow', object, actionId: 'a1' });
  await user.click(await screen.findByRole('button', { name: 'Release fields…' }));
  await whenOn('Release fields of ledger');
  await user.click(screen.getByRole('button', { name: 'Release fields of ledger' }));
  await waitFor(() => expect(writes()).toMatchObject([{ path: `${path}/releaseFields` }]));
});

it.each([
  ['the rollback is in progress', action({ name: 'ledger' }), releasable],
  ['the action is no rollback', action({ ...completed, action: 'restart' }), releasable],
  ['the workload has no fields to release', action(completed), []],
])('offers no release of fields while %s', async (_, each, controls) => {
  shown = { controls };
  followed = each;
  show({ kind: 'follow', object, actionId: 'a1' });
  await screen.findByRole('img', { name: /^revision 43, the target/ });
  expect(screen.queryByRole('button', { name: 'Release fields…' })).toBeNull();
});
