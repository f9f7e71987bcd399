// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { LivesLine } from '@/components/workload/lives-line';
import { PastLifeHead } from '@/components/workload/past-life-head';
import { minutesAgo, sampleRevision } from '@/test/samples';

afterEach(cleanup);

const workload = { resource: 'deployments.apps', namespace: 'shop', name: 'cart' };
const lives = [
  { uid: 'c', from: minutesAgo(100), to: null },
  { uid: 'b', from: minutesAgo(9_000), to: minutesAgo(120) },
  { uid: 'a', from: minutesAgo(90_000), to: minutesAgo(9_500) },
];

test('a name with one life has nothing to tell of others', () => {
  const { container } = render(<LivesLine workload={workload} lives={lives.slice(0, 1)} shown="c" />);
  expect(container.textContent).toBe('');
});

test('earlier lives are a menu of addresses, the present one without any', async () => {
  render(<LivesLine workload={workload} lives={lives} shown="c" />);
  await userEvent.click(screen.getByRole('button', { name: '2 earlier lives' }));
  const items = await screen.findAllByRole('menuitem');
  expect(items.map((item) => item.getAttribute('href'))).toEqual([
    '/workloads/deployments.apps/shop/cart',
    '/workloads/deployments.apps/shop/cart?uid=b',
    '/workloads/deployments.apps/shop/cart?uid=a',
  ]);
});

test('a life that is over says whether another one has the name now', () => {
  const [, life] = lives;
  if (!life) throw new Error('no life');
  const past = {
    workload: { ...workload, cluster: 'test', kind: 'Deployment', uid: 'b', labels: {} },
    life,
    lives,
    revisions: [sampleRevision(1, { retained: false })],
  };
  const { rerender } = render(<PastLifeHead past={past} isNamesake recordsHref="/records?name=cart" />);
  expect(screen.getByRole('heading', { level: 1 }).textContent).toContain(
    'another one was made under its name',
  );
  expect(screen.getByRole('link', { name: 'The present cart' })).toBeTruthy();
  rerender(<PastLifeHead past={past} isNamesake={false} recordsHref="/records?name=cart" />);
  expect(screen.getByRole('heading', { level: 1 }).textContent).toContain('this is what Shiplog remembers');
  expect(screen.queryByRole('link', { name: 'The present cart' })).toBeNull();
});
