// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query';
import { cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { TabBar } from '@/components/shell/main-nav';
import { clustersQuery } from '@/components/queries/cluster';
import { renderWith } from '@/test/render';

const place = vi.hoisted(() => ({ pathname: '/' }));
vi.mock('next/navigation', () => ({ usePathname: () => place.pathname }));

afterEach(cleanup);

function show(pathname: string, recording: boolean): HTMLElement {
  place.pathname = pathname;
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(clustersQuery().queryKey, { recording } as never);
  renderWith(client, <TabBar />);
  return screen.getByRole('navigation', { name: 'Main, at the bottom' });
}

test('shows four tabs on a phone, the last one a menu of the other pages', async () => {
  const bar = show('/records/rec-1', true);
  expect(
    within(bar)
      .getAllByRole('link')
      .map(({ textContent }) => textContent),
  ).toEqual(['Workloads', 'Timeline', 'Review']);
  await userEvent.click(within(bar).getByRole('button', { name: 'More' }));
  const items = await screen.findAllByRole('menuitem');
  expect(items.map(({ textContent }) => textContent)).toEqual(['Rollouts', 'History', 'Activity']);
  expect(items.map((item) => item.getAttribute('aria-current'))).toEqual([null, 'page', null]);
});

test('shows a tab for each page where there are few', () => {
  const bar = show('/rollouts', false);
  expect(
    within(bar)
      .getAllByRole('link')
      .map(({ textContent }) => textContent),
  ).toEqual(['Workloads', 'Rollouts']);
  expect(within(bar).queryByRole('button')).toBeNull();
});
