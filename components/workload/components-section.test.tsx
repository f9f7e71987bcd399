// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { ComponentsSection } from '@/components/workload/components-section';
import type { ComponentItem } from '@/lib/api/workloads';

afterEach(cleanup);

const web: ComponentItem = {
  name: 'web',
  type: 'webservice',
  healthy: false,
  message: 'Ready:1/2',
  workloads: [
    {
      ...{ resource: 'deployments.apps', kind: 'Deployment', namespace: 'shop', name: 'web' },
      ...{ state: 'held', message: 'step 1 of 3' },
      rollout: { resource: 'rollouts.rollouts.kruise.io', namespace: 'shop', name: 'web-steps' },
    },
  ],
  hidden: 0,
};

test('shows the health of a component, and links its workloads and their rollouts', () => {
  render(<ComponentsSection cluster="c" components={[web]} />);
  expect(screen.getByText('Unhealthy')).toBeTruthy();
  expect(screen.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['Deployment web', '/workloads/deployments.apps/shop/web'],
    ['Rollout web-steps', '/rollouts/rollouts.rollouts.kruise.io/shop/web-steps'],
  ]);
});

test('counts workloads without access, and names missing ones', () => {
  const bare = { ...web, healthy: null, message: null, workloads: [] };
  render(
    <ComponentsSection
      cluster="c"
      components={[
        { ...bare, hidden: 2 },
        { ...bare, name: '', type: '' },
      ]}
    />,
  );
  expect(screen.getByText(/^2 workloads not shown/)).toBeTruthy();
  expect(screen.getByText('No component')).toBeTruthy();
  expect(screen.getByText('No workloads in this namespace')).toBeTruthy();
});
