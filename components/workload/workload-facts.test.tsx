// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { WorkloadFacts } from '@/components/workload/workload-facts';
import { sampleDetail } from '@/test/samples';

afterEach(cleanup);

const owners = [
  {
    tool: 'Argo CD',
    noun: 'application',
    name: 'shop-checkout',
    evidence: 'annotation argocd.argoproj.io/tracking-id',
    when: 'seconds',
    note: 'Argo CD reverts this within seconds (self-heal is on).',
    advice: 'Disable auto-sync first.',
  },
];
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
  expect(container.textContent).toContain(
    'Argo CD application shop-checkout: Argo CD reverts this within seconds (self-heal is on).',
  );
  expect(screen.getByTitle(/^Disable auto-sync first. Shown by: annotation argocd/)).toBeTruthy();
  expect(screen.queryByRole('link')).toBeNull();
});
