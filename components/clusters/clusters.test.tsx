// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query';
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Clusters, ruleFor } from '@/components/clusters/clusters';
import type { ClusterItem, ClusterList, ClusterRefusal } from '@/lib/api/cluster';
import { sampleCluster, setClusters, threeClusters } from '@/test/clusters';
import { minutesAgo } from '@/test/samples';
import { parse } from 'yaml';
import { renderWith } from '@/test/render';

beforeEach(() => {
  vi.stubGlobal('fetch', () => new Promise(() => undefined));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function show(items: readonly ClusterItem[], rest: Partial<ClusterList> = {}) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  setClusters(client, items, rest);
  renderWith(client, <Clusters />);
}

test('lists each cluster with its state, and why one can’t be reached', () => {
  const [eu, us] = threeClusters;
  if (eu === undefined || us === undefined) expect.fail('no clusters');
  show([eu, { ...us, state: 'unreachable', message: 'No route to host.' }]);
  const [first, second] = screen.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(first).toMatch(/Production EU.*prod-eu.*production.*Connected.*1000 objects.*Recording/);
  expect(second).toMatch(/Production US.*Unreachable.*No route to host\..*Last answer/);
});

test('names the clusters that get the token of the person', () => {
  const [eu, us] = threeClusters;
  if (eu === undefined || us === undefined) expect.fail('no clusters');
  show([
    { ...eu, credential: 'token' },
    { ...us, credential: 'impersonate' },
  ]);
  const [first, second] = screen.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(first).toMatch(/Sent with your own token.*can use it at every cluster that accepts it/);
  expect(second).not.toMatch(/token/);
});

test('gives the rule that would mend a missing right', () => {
  const partial = [{ resource: 'deployments.apps', reason: 'shiplog may not list deployments.' }];
  show([sampleCluster({ partial })]);
  const missing = screen.getByText('shiplog may not list deployments.').closest('details');
  expect(within(missing ?? document.body).getByText(/resources: \["deployments"\]/)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Copy the rule for a ClusterRole' })).toBeTruthy();
});

test('reports a configuration that is not in force, and leads to the history of removed clusters', () => {
  show([sampleCluster()], {
    problem: { reason: 'clusters.yaml:3: name is missing.', since: minutesAgo(5) },
    removed: [{ id: 'old', name: 'legacy', lastSeenAt: minutesAgo(900) }],
  });
  expect(screen.getByRole('status').textContent).toMatch(/not in force.*clusters\.yaml:3: name is missing\./);
  const link = screen.getByRole('link', { name: 'History of legacy' });
  expect(link.getAttribute('href')).toBe('/records?cluster=legacy');
});

const claimed: ClusterRefusal = { kind: 'claimed', id: 'uid-prod', formerId: 'uid-dev', holder: 'prod-eu' };

function refusedCluster(overrides: Partial<ClusterItem> = {}): ClusterItem {
  const message = 'Its API server says that it is the cluster uid-prod, which belongs to prod-eu.';
  return sampleCluster({
    id: '',
    name: 'dev',
    state: 'unreachable',
    message,
    refusal: claimed,
    ...overrides,
  });
}

test('says what a refused cluster claims, and what happens if it is accepted', () => {
  show([refusedCluster()]);
  const [entry] = screen.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(entry).toMatch(
    /Refused.*belongs to prod-eu.*Claimed id.*uid-prod.*API server.*Belongs to.*prod-eu.*Previous id.*uid-dev/,
  );
  expect(entry).toContain('the history of prod-eu belongs to dev');
  expect(entry).not.toContain('keeps trying');
});

test('accepts what the person saw, once they have confirmed it', async () => {
  const sent: [string, RequestInit | undefined][] = [];
  vi.stubGlobal('fetch', (path: string, init?: RequestInit) => {
    sent.push([path, init]);
    const list = { items: [sampleCluster({ name: 'dev' })], removed: [], problem: null };
    return Promise.resolve(Response.json({ ...list, readOnly: false, sandbox: false, recording: true }));
  });
  show([refusedCluster()]);
  fireEvent.click(screen.getByRole('button', { name: 'Accept dev…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Accept dev' });
  expect(sent).toEqual([]);
  fireEvent.click(within(dialog).getByRole('button', { name: 'Accept dev' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(sent.map(([path]) => path)).toEqual(['/api/clusters/dev/accept']);
  expect(sent[0]?.[1]?.body).toBe(JSON.stringify({ refusal: claimed }));
  expect(screen.getByRole('listitem').textContent).toContain('Connected');
});

test('says in the dialog why it was not accepted', async () => {
  const message = 'Nothing was changed: dev no longer claims what the page showed.';
  vi.stubGlobal('fetch', () =>
    Promise.resolve(Response.json({ error: { code: 'conflict', message } }, { status: 409 })),
  );
  show([refusedCluster()]);
  fireEvent.click(screen.getByRole('button', { name: 'Accept dev…' }));
  const dialog = await screen.findByRole('dialog');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Accept dev' }));
  expect((await within(dialog).findByRole('alert')).textContent).toContain(message);
});

test('names the right that a person lacks', () => {
  const acceptDenied =
    'maja.lind is not allowed to update clusters.shiplog.dev in home. Request this permission.';
  show([refusedCluster({ acceptDenied })]);
  const button = screen.getByRole('button', { name: 'Accept dev…' });
  expect(button.getAttribute('aria-disabled')).toBe('true');
  expect(screen.getByText(acceptDenied)).toBeTruthy();
});

test('says that a cluster kept its id at another address, or with another authority', () => {
  const server = 'https://new.example';
  const at = minutesAgo(60);
  show([
    sampleCluster({ name: 'moved', server, moved: { at, from: 'https://old.example' } }),
    sampleCluster({ id: 'other', name: 'rotated', server, moved: { at, from: server } }),
  ]);
  const [moved, rotated] = screen.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(moved).toMatch(/Previous address.*https:\/\/old\.example.*changed/);
  expect(rotated).toMatch(/Certificate authority.*Changed/);
});

test('lists fifty clusters', () => {
  show(Array.from({ length: 50 }, (_, index) => sampleCluster({ id: `id-${index}`, name: `edge-${index}` })));
  expect(screen.getAllByRole('heading', { level: 2 })).toHaveLength(50);
});

test('a missing right is a rule of a ClusterRole that can be pasted', () => {
  expect(parse(ruleFor('deployments.apps'))).toEqual([
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list', 'watch'] },
  ]);
  expect(parse(ruleFor('pods'))).toMatchObject([{ apiGroups: [''], resources: ['pods'] }]);
});
