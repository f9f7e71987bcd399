// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { WorkloadFacts } from '@/components/workload/workload-facts';
import { sampleDetail } from '@/test/samples';

afterEach(cleanup);

const owners = [{ tool: 'Argo CD', name: 'shop-checkout', note: 'Disable auto-sync first.' }];
const argo = { label: 'Argo CD', url: 'https://argocd.example.com/applications/shop-checkout' };
const logs = { label: 'Logs', url: 'https://logs.example.com/' };

test('links the application of Argo CD where a link to it is configured, and nowhere else', () => {
  render(<WorkloadFacts detail={sampleDetail({ workload: { owners, links: [argo, logs] } })} />);
  expect(screen.getByRole('link', { name: /^shop-checkout/ }).getAttribute('href')).toBe(argo.url);
  expect(screen.getAllByRole('link').map(({ textContent }) => textContent)).toEqual([
    'shop-checkout, opens in a new tab',
    'Logs, opens in a new tab',
  ]);
});

test('names the application without a link', () => {
  const { container } = render(<WorkloadFacts detail={sampleDetail({ workload: { owners } })} />);
  expect(container.textContent).toContain('Argo CD application shop-checkout');
  expect(screen.queryByRole('link')).toBeNull();
});
