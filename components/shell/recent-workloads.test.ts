// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query';
import { beforeEach, expect, test } from 'vitest';
import { noteOpened, recentWorkloads } from '@/components/shell/recent-workloads';
import { store } from '@/components/ui/browser-storage';
import { setClusters, threeClusters } from '@/test/clusters';

beforeEach(() => localStorage.clear());

test('lists the workloads whose pages were open, the latest first and each once', () => {
  for (const path of [
    '/',
    '/workloads/deployments.apps/shop/cart',
    '/review',
    '/workloads/deployments.apps/shop/web/compare',
  ])
    noteOpened(path);
  noteOpened('/workloads/deployments.apps/shop/cart');
  expect(recentWorkloads()).toEqual(['deployments.apps/shop/cart', 'deployments.apps/shop/web']);
});

test('keeps the same name of two clusters apart', () => {
  setClusters(new QueryClient(), threeClusters);
  noteOpened('/workloads/deployments.apps/shop/cart', 'prod-eu');
  noteOpened('/workloads/deployments.apps/shop/cart', 'id-staging');
  expect(recentWorkloads()).toEqual([
    'staging/deployments.apps/shop/cart',
    'prod-eu/deployments.apps/shop/cart',
  ]);
});

test.each(['{', '{}', '[1,null,"a","a/b/c,d/e/f"]'])('ignores %s in the storage', (text) => {
  store('recent', text);
  expect(recentWorkloads()).toEqual([]);
});
