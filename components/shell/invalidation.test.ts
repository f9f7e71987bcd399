import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createInvalidation } from '@/components/shell/invalidation';
import { AppError, type ErrorCode } from '@/lib/errors';
import { fleetQuery } from '@/components/queries/workloads';

const cart = { cluster: 'c', resource: 'deployments.apps', namespace: 'shop', name: 'cart' };
const cartKey = ['workload', 'deployments.apps', 'shop', 'cart'];

let client: QueryClient;
let isHidden = false;

/** An active query whose answers take `tookMs`; counts its requests. */
function show(queryKey: unknown[], tookMs = 10, refetchInterval: number | false = false) {
  const asked = vi.fn(
    () => new Promise<number>((resolve) => setTimeout(() => resolve(asked.mock.calls.length), tookMs)),
  );
  const observer = new QueryObserver(client, {
    queryKey,
    queryFn: asked,
    staleTime: Infinity,
    retry: false,
    refetchInterval,
  });
  observer.subscribe(() => undefined);
  return { asked, observer };
}

beforeEach(() => {
  vi.useFakeTimers();
  client = new QueryClient();
  isHidden = false;
});
afterEach(() => {
  client.clear();
  vi.useRealTimers();
});

const invalidation = () => createInvalidation(client, () => isHidden);

test('a change refetches the list and its own workload at once, and no other', async () => {
  const list = show(['workloads', { q: '' }]);
  const mine = show([...cartKey, 'pods']);
  const other = show(['workload', 'deployments.apps', 'shop', 'cart-2']);
  await vi.advanceTimersByTimeAsync(50);
  invalidation().onKeys([cart]);
  await vi.advanceTimersByTimeAsync(0);
  expect([list, mine, other].map(({ asked }) => asked.mock.calls.length)).toEqual([2, 2, 1]);
});

test('requests at most once per pause in a storm of changes, and once more at its end', async () => {
  const { asked } = show(['workloads']);
  await vi.advanceTimersByTimeAsync(50);
  asked.mockClear();
  const { onKeys } = invalidation();
  for (let count = 0; count < 100; count += 1) {
    onKeys([cart]);
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(asked.mock.calls.length).toBeLessThanOrEqual(8);
  const during = asked.mock.calls.length;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked.mock.calls.length - during).toBeLessThanOrEqual(1);
});

test('requests again when a change arrives during a request', async () => {
  const { asked, observer } = show(['workloads'], 1_000);
  invalidation().onKeys([cart]);
  await vi.advanceTimersByTimeAsync(900);
  expect(asked).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).toHaveBeenCalledTimes(2);
  expect(observer.getCurrentResult().data).toBe(2);
});

test('requests slow answers less often', async () => {
  const { asked } = show(['workloads'], 2_000);
  await vi.advanceTimersByTimeAsync(2_000);
  asked.mockClear();
  const { onKeys } = invalidation();
  for (let second = 0; second < 40; second += 1) {
    onKeys([cart]);
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(asked.mock.calls.length).toBeLessThanOrEqual(11);
  expect(asked.mock.calls.length).toBeGreaterThan(5);
});

test('requests nothing on a hidden page, and catches up once it is visible', async () => {
  const { asked } = show(['workloads']);
  await vi.advanceTimersByTimeAsync(50);
  const { onKeys, onVisible } = invalidation();
  isHidden = true;
  for (let count = 0; count < 5; count += 1) onKeys([cart]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toHaveBeenCalledTimes(1);
  isHidden = false;
  onVisible();
  await vi.advanceTimersByTimeAsync(50);
  expect(asked).toHaveBeenCalledTimes(2);
});

test('a resync refetches everything on screen', async () => {
  const shown = [show(['workloads']), show(cartKey), show(['cluster'])];
  await vi.advanceTimersByTimeAsync(50);
  invalidation().onResync();
  await vi.advanceTimersByTimeAsync(50);
  expect(shown.map(({ asked }) => asked.mock.calls.length)).toEqual([2, 2, 2]);
});

test('refetches only what the stream alone refreshes when the stream opens with the page', async () => {
  const shown = [
    show(['workloads']),
    show(cartKey),
    show(['workloads', 'timeline'], 10, 60_000),
    show(['cluster']),
    show(['records', 'queue']),
  ];
  await vi.advanceTimersByTimeAsync(50);
  invalidation().onOpened();
  await vi.advanceTimersByTimeAsync(50);
  expect(shown.map(({ asked }) => asked.mock.calls.length)).toEqual([2, 2, 1, 1, 1]);
});

test('refetches everything that is not recent when the stream opens later', async () => {
  const shown = [show(['workloads', 'timeline'], 10, 60_000), show(['cluster']), show(['records', 'queue'])];
  await vi.advanceTimersByTimeAsync(10_000);
  invalidation().onOpened();
  await vi.advanceTimersByTimeAsync(50);
  expect(shown.map(({ asked }) => asked.mock.calls.length)).toEqual([2, 2, 2]);
});

test('does not repeat a request that was just refused when the stream opens, but repeats other failures', async () => {
  const failing = (queryKey: unknown[], code: ErrorCode) => {
    const asked = vi.fn(() => Promise.reject(new AppError(code, 'No.')));
    const options = { queryKey, queryFn: asked, staleTime: Infinity, retry: false };
    new QueryObserver(client, options).subscribe(() => undefined);
    return { asked };
  };
  const shown = [
    failing(cartKey, 'not_found'),
    failing(['records', 'gone'], 'forbidden'),
    failing(['workload', 'deployments.apps', 'shop', 'x'], 'cluster_unreachable'),
    failing(['records', 'late'], 'archive_unavailable'),
  ];
  const calls = () => shown.map(({ asked }) => asked.mock.calls.length);
  const { onOpened, onKeys } = invalidation();
  await vi.advanceTimersByTimeAsync(50);
  onOpened();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(calls()).toEqual([1, 1, 2, 2]);
  onKeys([cart]);
  await vi.advanceTimersByTimeAsync(50);
  expect(calls()).toEqual([2, 1, 2, 2]);
  await vi.advanceTimersByTimeAsync(10_000);
  onOpened();
  await vi.advanceTimersByTimeAsync(50);
  expect(calls()).toEqual([3, 2, 3, 3]);
});

test('requests only the changed rows of the fleet, all of a pause at once', async () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (path: string) => {
    asked.push(decodeURIComponent(path));
    const answer = { items: [], nextCursor: null, namespaces: [], partial: [] };
    return Promise.resolve(Response.json(answer));
  });
  new InfiniteQueryObserver(client, { ...fleetQuery(), staleTime: Infinity }).subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(50);
  asked.length = 0;
  const { onKeys } = invalidation();
  onKeys([cart]);
  onKeys([{ ...cart, name: 'b' }]);
  onKeys([cart, { ...cart, name: 'c' }]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked.map((path) => /keys=([^&]*)/.exec(path)?.[1])).toEqual([
    'deployments.apps/shop/cart',
    'deployments.apps/shop/b,deployments.apps/shop/cart,deployments.apps/shop/c',
  ]);
  vi.unstubAllGlobals();
});
