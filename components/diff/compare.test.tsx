// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query';
import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Compare } from '@/components/diff/compare';
import type { ClusterItem } from '@/lib/api/cluster';
import type { ChangeItem, Diff } from '@/lib/api/diff';
import { sampleCluster, setClusters, threeClusters } from '@/test/clusters';
import { sampleChange, sampleDiff } from '@/test/samples';
import { workloadKey } from '@/components/queries/workload-ref';
import { renderWith } from '@/test/render';

vi.mock('next/navigation', () => ({
  useSearchParams: () => new URLSearchParams(window.location.search),
}));

const workload = { cluster: undefined, resource: 'deployments.apps', namespace: 'shop', name: 'checkout' };
const evil = '<img src=x onerror="document.title=1"> [masked:0badcafe]';

function change(label: string, before: string | null, after: string | null): ChangeItem {
  const kind = before === null ? 'added' : after === null ? 'removed' : 'changed';
  const texts = { before, after, beforeText: before, afterText: after };
  return sampleChange({ path: `spec.containers[app].${label}`, kind, concern: 'other', label, ...texts });
}

function diff(partial: Partial<Diff>): Diff {
  return sampleDiff({ changes: [change('image', '1', '2'), change('env A', null, 'on')], ...partial });
}

let answer: Response;
beforeEach(() => {
  window.history.replaceState(null, '', '/?from=a&to=b');
  vi.stubGlobal('fetch', (input: string) => {
    const { pathname } = new URL(input, 'http://localhost');
    if (pathname.endsWith('/diff')) return Promise.resolve(answer.clone());
    if (pathname.endsWith('/pods'))
      return Promise.resolve(Response.json({ items: [], partial: [], observedAt: '', stale: false }));
    return Promise.resolve(
      Response.json({ error: { code: 'not_found', message: 'gone', details: {} } }, { status: 404 }),
    );
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** The detail is cached, as after a visit of the workload's page. */
function open(cluster = 'test', clusters: readonly ClusterItem[] = [sampleCluster()]) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  setClusters(client, clusters);
  client.setQueryData([...workloadKey(workload), 'detail'], {
    workload: { cluster, defaultTarget: null, state: 'complete', sentence: 'All 3 pods run revision 5.' },
    revisions: [],
    partial: [],
  });
  renderWith(client, <Compare workload={workload} onRollback={() => undefined} />);
  return userEvent.setup();
}

it('shows every change with both sides, and text from the cluster as plain text', async () => {
  answer = Response.json(
    diff({ changes: [change(evil, evil, null), change('image', '1', '2')], summary: evil }),
  );
  open();
  expect(await screen.findByRole('heading', { level: 1 })).toHaveProperty(
    'textContent',
    `checkout: ${evil}.`,
  );
  expect(screen.getAllByText(evil).length).toBeGreaterThanOrEqual(2);
  expect(document.querySelector('img')).toBeNull();
});

it('names the rollout that a change reverts, with a link', async () => {
  const rollout = { id: 'r41', number: 41, cause: evil, actor: null, at: null };
  const echo = { kind: 'reverts', rollout, deed: 'raised', repeats: null, sentence: '' } as const;
  answer = Response.json(diff({ changes: [{ ...change('memory limit', '1Gi', '768Mi'), echo }] }));
  open();
  const link = await screen.findByRole('link', { name: 'revision 41' });
  expect(link.getAttribute('href')).toBe('/records/r41');
  expect(link.closest('td')?.textContent).toContain(`Reverts revision 41, which raised it for “${evil}”`);
});

it('moves through the changes with j and k', async () => {
  answer = Response.json(diff({}));
  const user = open();
  await screen.findByRole('table');
  const focused = () => document.activeElement?.textContent ?? '';
  await user.keyboard('j');
  const first = focused();
  await user.keyboard('j');
  expect(focused()).not.toBe(first);
  await user.keyboard('k');
  expect(focused()).toBe(first);
});

it('says that both sides are the same, and why the verdicts disagree', async () => {
  answer = Response.json(
    diff({ equal: true, rawEqual: false, changes: [], explanation: 'Only spelling differs.' }),
  );
  open();
  expect(await screen.findByText('No effective difference')).toBeTruthy();
  expect(screen.getByText(/Only spelling differs/)).toBeTruthy();
});

it('shows the number of changes where they are too many to list', async () => {
  answer = Response.json(
    diff({ changes: [], tooLarge: 12_000, summary: 'too large to compare: 12,000 changes' }),
  );
  open();
  expect(await screen.findByText('Too many changes to list')).toBeTruthy();
  expect(screen.getByText(/There are 12,000 changes/)).toBeTruthy();
  expect(screen.queryByText('No effective difference')).toBeNull();
});

it('draws 500 of very many changes at once, and more on request', async () => {
  const changes = Array.from({ length: 700 }, (_, index) => change(`env A_${index}`, '1', '2'));
  answer = Response.json(diff({ changes }));
  const user = open();
  const rows = async () => (await screen.findAllByText(/^(?:env )?A_\d+$/)).length;
  expect(await rows()).toBe(500);
  await user.click(screen.getByRole('button', { name: 'Show 200 more' }));
  expect(await rows()).toBe(700);
});

it('offers the candidates where a number means several revisions', async () => {
  window.history.replaceState(null, '', '/?from=3&to=b');
  const details = {
    candidates: [
      { id: 'x', number: 3, name: 'checkout-5f6' },
      { id: 'y', number: 3, name: 'checkout-9c1' },
    ],
  };
  answer = Response.json({ error: { code: 'ambiguous', message: 'Several.', details } }, { status: 409 });
  const user = open();
  await user.click(await screen.findByRole('button', { name: 'rev 3 (checkout-9c1)' }));
  expect(window.location.search).toBe('?from=y&to=b');
});

it('offers the revision that a former number became', async () => {
  window.history.replaceState(null, '', '/?from=3&to=b');
  const details = { revision: '3', became: 'x', id: 'x', number: 7 };
  answer = Response.json({ error: { code: 'not_found', message: 'It became 7.', details } }, { status: 404 });
  const user = open();
  await user.click(await screen.findByRole('button', { name: 'Compare revision 7' }));
  expect(window.location.search).toBe('?from=x&to=b');
});

it('does not request the YAML until it is opened', async () => {
  answer = Response.json(diff({ yaml: { before: 'a: 1\n', after: 'a: 2\n' } }));
  const fetched = vi.spyOn(globalThis, 'fetch');
  const user = open();
  await screen.findByRole('table');
  const requestedUrls = () =>
    fetched.mock.calls.filter(([input]) => typeof input === 'string' && input.includes('yaml=1')).length;
  expect(requestedUrls()).toBe(0);
  await user.keyboard('u');
  expect(window.location.search).toContain('yaml=1');
});

it('names the cluster of each side where they differ', async () => {
  window.history.replaceState(null, '', '/?from=staging:live&to=live');
  answer = Response.json(
    diff({
      equal: true,
      changes: [],
      from: { label: 'now', ref: 'staging:live', revisionId: null, number: null, cluster: 'staging' },
      to: { label: 'now', ref: 'live', revisionId: null, number: null },
    }),
  );
  open('id-prod-eu', threeClusters);
  expect((await screen.findByRole('heading', { level: 1 })).textContent).toBe(
    'checkout: no difference between now in staging and now in prod-eu.',
  );
});
