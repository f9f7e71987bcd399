// @vitest-environment jsdom
import { act, cleanup, render, renderHook, waitFor } from '@testing-library/react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EventsSection } from '@/components/workload/events-section';
import { PodsSection } from '@/components/workload/pods-section';
import { useWorkload } from '@/components/workload/use-workload';
import { minutesAgo, sampleDetail } from '@/test/samples';

const workload = { cluster: undefined, resource: 'deployments.apps', namespace: 'shop', name: 'cart' };
let answers: Record<string, { status: number; body: unknown }>;

beforeEach(() => {
  const list = { observedAt: minutesAgo(0), stale: false, items: [], partial: [] };
  answers = {
    '/api/workloads/deployments.apps/shop/cart': { status: 200, body: sampleDetail() },
    '/api/workloads/deployments.apps/shop/cart/pods': { status: 200, body: list },
    '/api/workloads/deployments.apps/shop/cart/events': { status: 200, body: list },
  };
  vi.stubGlobal('fetch', (path: string) => {
    const { status = 404, body = {} } = answers[path] ?? {};
    return Promise.resolve(new Response(JSON.stringify(body), { status }));
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

async function open() {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const { result } = renderHook(() => useWorkload(workload), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  });
  await waitFor(() => expect(result.current.detail).toBeDefined());
  return { result, refetch: () => act(() => client.invalidateQueries({ queryKey: ['workload'] })) };
}

test('reports a workload that is deleted while its page is open, and still shows its data', async () => {
  const { result, refetch } = await open();
  expect(result.current.presence).toEqual({ kind: 'present' });
  answers['/api/workloads/deployments.apps/shop/cart'] = {
    status: 404,
    body: { error: { code: 'not_found', message: 'There is no Deployment cart.', details: {} } },
  };
  await refetch();
  await waitFor(() => expect(result.current.presence).toEqual({ kind: 'gone' }));
  expect(result.current.detail?.workload.name).toBe('cart');
});

test('does not confuse another workload of the same name with the opened one', async () => {
  const { result, refetch } = await open();
  answers['/api/workloads/deployments.apps/shop/cart'] = {
    status: 200,
    body: sampleDetail({ workload: { uid: 'another' } }),
  };
  await refetch();
  await waitFor(() => expect(result.current.presence).toEqual({ kind: 'replaced' }));
  act(() => result.current.acceptReplaced());
  expect(result.current.presence).toEqual({ kind: 'present' });
});

test('does not take a failing answer for a deletion', async () => {
  const { result, refetch } = await open();
  answers['/api/workloads/deployments.apps/shop/cart'] = { status: 500, body: {} };
  await refetch();
  await waitFor(() => expect(result.current.error).not.toBeNull());
  expect(result.current.presence).toEqual({ kind: 'present' });
  expect(result.current.detail).toBeDefined();
});

test('does not take a pending or failed answer for an empty list', async () => {
  answers['/api/workloads/deployments.apps/shop/cart/events'] = {
    status: 503,
    body: { error: { code: 'cluster_unreachable', message: 'The API server does not answer.', details: {} } },
  };
  let letPodsThrough: (response: Response) => void = () => undefined;
  const answer = fetch;
  vi.stubGlobal('fetch', (path: string) =>
    path.endsWith('/pods') ? new Promise<Response>((resolve) => (letPodsThrough = resolve)) : answer(path),
  );
  const { result } = await open();
  const lists = () => {
    const { container, unmount } = render(
      <>
        <PodsSection
          {...{
            workload,
            pods: result.current.pods,
            pointed: null,
            onPoint: vi.fn(),
            onDelete: null,
            onRetry: vi.fn(),
          }}
        />
        <EventsSection
          {...{ events: result.current.events, pointed: null, onPoint: vi.fn(), onRetry: vi.fn() }}
        />
      </>,
    );
    const { textContent } = container;
    unmount();
    return textContent;
  };
  await waitFor(() => expect(result.current.events.error).not.toBeNull());
  expect(lists()).toMatch(
    /^PodsLoading podsEventsThe events could not be loadedThe API server does not answer\./,
  );
  const list = { observedAt: minutesAgo(0), stale: false, items: [], partial: [] };
  act(() => letPodsThrough(new Response(JSON.stringify(list))));
  await waitFor(() => expect(result.current.pods.data).toBeDefined());
  expect(lists()).toMatch(/^Pods0No pods\./);
});
