// @vitest-environment jsdom
import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PodLog } from '@/components/workload/pod-log';
import { renderWith } from '@/test/render';

const workload = { cluster: undefined, resource: 'deployments.apps', namespace: 'shop', name: 'cart' };
let requestedUrls: string[];
let answer: () => Response;

beforeEach(() => {
  requestedUrls = [];
  vi.stubGlobal('fetch', (path: string) => {
    requestedUrls.push(path);
    return Promise.resolve(answer());
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function show() {
  return renderWith(
    new QueryClient(),
    <PodLog workload={workload} pod="cart-1" containers={['app', 'proxy']} container="app" previous />,
  );
}

test('shows lines as plain text, whatever they contain', async () => {
  const lines = ['<script>alert(1)</script>', '\u001b[31mred'];
  answer = () => Response.json({ container: 'app', previous: true, lines, truncated: false });
  const { container } = show();
  const region = await screen.findByRole('region', { name: 'Last 2 lines of app in cart-1' });
  expect(region.textContent).toBe(lines.join('\n'));
  expect(container.querySelector('script')).toBeNull();
});

test('chooses container and run by name', async () => {
  answer = () => Response.json({ container: 'app', previous: false, lines: [], truncated: false });
  show();
  await userEvent.click(screen.getByRole('button', { name: 'Current' }));
  await userEvent.click(screen.getByRole('button', { name: 'proxy' }));
  expect(await screen.findByText('The container has written no log lines.')).toBeTruthy();
  const path = '/api/workloads/deployments.apps/shop/cart/pods/cart-1/logs';
  expect(requestedUrls).toEqual([
    `${path}?container=app&previous=1`,
    `${path}?container=app`,
    `${path}?container=proxy`,
  ]);
});

test('shows the reason of the API server to a viewer without access to logs', async () => {
  const message = 'reader may not get pods/log in shop.';
  answer = () => Response.json({ error: { code: 'forbidden', message, details: {} } }, { status: 403 });
  show();
  expect(await screen.findByText(message)).toBeTruthy();
});
