// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { IncarnationsLine } from '@/components/workload/incarnations-line';
import { DeletedWorkloadHead } from '@/components/workload/deleted-workload-head';
import { minutesAgo, sampleRevision } from '@/test/samples';

afterEach(cleanup);

const workload = { cluster: undefined, resource: 'deployments.apps', namespace: 'shop', name: 'cart' };
const wrapper = ({ children }: { children: React.ReactNode }) => (
  <QueryClientProvider client={new QueryClient()}>{children}</QueryClientProvider>
);
const incarnations = [
  { uid: 'c', from: minutesAgo(100), to: null },
  { uid: 'b', from: minutesAgo(9_000), to: minutesAgo(120) },
  { uid: 'a', from: minutesAgo(90_000), to: minutesAgo(9_500) },
];

test('shows nothing for a name with one incarnation', () => {
  const { container } = render(
    <IncarnationsLine workload={workload} incarnations={incarnations.slice(0, 1)} shown="c" />,
  );
  expect(container.textContent).toBe('');
});

test('links earlier incarnations in a menu, and the current one without a uid', async () => {
  render(<IncarnationsLine workload={workload} incarnations={incarnations} shown="c" />);
  await userEvent.click(screen.getByRole('button', { name: '2 earlier incarnations' }));
  const items = await screen.findAllByRole('menuitem');
  expect(items.map((item) => item.getAttribute('href'))).toEqual([
    '/workloads/deployments.apps/shop/cart',
    '/workloads/deployments.apps/shop/cart?uid=b',
    '/workloads/deployments.apps/shop/cart?uid=a',
  ]);
});

test('says on a deleted incarnation whether another one has the name now', () => {
  const [, incarnation] = incarnations;
  if (!incarnation) throw new Error('no incarnation');
  const past = {
    workload: { ...workload, cluster: 'test', kind: 'Deployment', uid: 'b', labels: {} },
    incarnation,
    incarnations,
    revisions: [sampleRevision(1, { retained: false })],
  };
  const { rerender } = render(
    <DeletedWorkloadHead past={past} isNamesake recordsHref="/records?name=cart" />,
    { wrapper },
  );
  expect(screen.getByRole('heading', { level: 1 }).textContent).toContain(
    'a new one was created with the same name',
  );
  expect(screen.getByRole('link', { name: 'Current cart' })).toBeTruthy();
  rerender(<DeletedWorkloadHead past={past} isNamesake={false} recordsHref="/records?name=cart" />);
  expect(screen.getByRole('heading', { level: 1 }).textContent).toContain('This is its archived history');
  expect(screen.queryByRole('link', { name: 'Current cart' })).toBeNull();
});
