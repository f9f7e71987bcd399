import type { ControlPlane } from '@/e2e/controlplane/running-cluster';

/** Namespace in which the API server enforces Pod Security `restricted`, and warns of templates that break it. */
export async function createRestricted(cluster: ControlPlane, name: string): Promise<void> {
  const levels = ['enforce', 'warn'].map((mode) => [`pod-security.kubernetes.io/${mode}`, 'restricted']);
  await cluster.client().create('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: Object.fromEntries(levels) as Record<string, string> },
  });
}
