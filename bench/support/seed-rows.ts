import { appTemplate, selectorOf } from '@/e2e/controlplane/app-template';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { scaleDeployment } from '@/e2e/controlplane/seed-scale';

const CONCURRENCY = 24;

/**
 * Deployments without replicas and history, with names after those of seedScale: rows to scroll over, written in a
 * minute.
 */
export async function seedRows(cluster: ControlPlane, from: number, to: number): Promise<void> {
  let next = from;
  const work = async (): Promise<void> => {
    while (next < to) await seedRow(cluster, next++);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

async function seedRow(cluster: ControlPlane, index: number): Promise<void> {
  const { namespace, name } = scaleDeployment(index);
  const app = {
    name,
    namespace,
    image: `registry.example.com/${namespace}/${name}`,
    tag: `1.${index % 40}.0`,
    port: 8080,
    env: {},
    cpu: '100m',
    memory: '128Mi',
    probe: '/readyz',
  };
  const labels = selectorOf({ name });
  await cluster.client().create(`/apis/apps/v1/namespaces/${namespace}/deployments`, {
    metadata: { name, labels },
    // Paused, since no controller will ever record the template.
    spec: { replicas: 0, paused: true, selector: { matchLabels: labels }, template: appTemplate(app) },
  });
}
