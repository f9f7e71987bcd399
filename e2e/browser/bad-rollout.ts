import { kubectl } from '@/e2e/browser/page';

/** A workload of its own for each test: two quick rollouts, the second one bad. */
export function startBadRollout(name: string): string {
  const image = (tag: string) => `registry.example.com/shop/${name}:${tag}`;
  const target = `deployment/${name}`;
  kubectl('-n', 'shop', 'create', 'deployment', name, `--image=${image('1.0')}`, '--replicas=2');
  kubectl('-n', 'shop', 'rollout', 'status', target, '--timeout=60s');
  kubectl('-n', 'shop', 'set', 'image', target, `${name}=${image('broken')}`);
  return `/workloads/deployments.apps/shop/${name}`;
}

/** The image in the spec of a workload of `startBadRollout`. */
export const imageOf = (name: string) =>
  kubectl('-n', 'shop', 'get', 'deployment', name, '-o', 'jsonpath={..image}').trim();
