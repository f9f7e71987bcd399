// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query';
import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { PartialNotices } from '@/components/shared/partial-notices';
import type { PartialResult } from '@/lib/api/common';
import { setClusters, threeClusters } from '@/test/clusters';
import { renderWith } from '@/test/render';

afterEach(cleanup);

async function show(partial: readonly PartialResult[]): Promise<(string | null)[]> {
  const client = new QueryClient();
  const [eu, us, staging] = threeClusters.map((each) => ({ ...each }));
  if (eu === undefined || us === undefined || staging === undefined) expect.fail('no clusters');
  setClusters(client, [eu, { ...us, state: 'unreachable' }, staging]);
  renderWith(client, <PartialNotices partial={partial} missing={() => 'Without pods.'} />);
  if (partial.length > 0) await screen.findByRole('link', { name: 'Clusters' });
  return screen.queryAllByRole('status').map(({ textContent }) => textContent);
}

test('says of a cluster that is away since when and why, and that its last rows are shown', async () => {
  const [text] = await show([{ cluster: 'prod-us', reason: 'No route.', since: '2026-09-17T14:02:00Z' }]);
  expect(text).toMatch(
    /^prod-us is unreachable since .*02.*\. No route\. What it had then is shown\. Clusters$/,
  );
  expect(screen.getByRole('link', { name: 'Clusters' }).getAttribute('href')).toBe('/clusters');
});

test('says of several clusters what is missing in one notice, next to what else is missing', async () => {
  const texts = await show([
    { resource: 'pods', reason: 'You may not list pods.' },
    { cluster: 'prod-us', reason: 'No route.' },
    { cluster: 'staging', resource: 'pods', reason: 'Not allowed.' },
    { cluster: 'staging', resource: 'events', reason: 'Not allowed.' },
  ]);
  expect(texts).toEqual([
    'Without pods. You may not list pods.',
    'prod-us and staging are incomplete. Rows of them may be outdated or missing. Clusters',
  ]);
});

test('says of many missing parts the first, and the others when it is opened', async () => {
  const resources = ['deployments', 'statefulsets', 'daemonsets', 'pods'];
  const parts = resources.map((resource) => ({ resource, reason: `You may not list ${resource}.` }));
  const [text, ...others] = await show([...parts, { cluster: 'prod-us', reason: 'No route.' }]);
  expect(text).toMatch(/^Without pods\. You may not list deployments\.3 more reasons/);
  for (const { reason } of parts.slice(1)) expect(text).toContain(reason);
  expect(others).toHaveLength(1);
});

test('is silent where nothing is missing', async () => {
  expect(await show([])).toEqual([]);
});
