import { type JsonObject } from '@/lib/kube/json';
import { type RolloutSandbox } from '@/sandbox/controllers/kruise/testing/rollout-sandbox';

const NAMESPACE = 'namespaces/default';
export const ROLLOUTS = `/apis/rollouts.kruise.io/v1beta1/${NAMESPACE}/rollouts`;
export const HISTORIES = `/apis/rollouts.kruise.io/v1alpha1/${NAMESPACE}/rollouthistories`;
export const DEPLOYMENTS = `/apis/apps/v1/${NAMESPACE}/deployments`;
export const CLONE_SETS = `/apis/apps.kruise.io/v1beta1/${NAMESPACE}/clonesets`;
export const PODS = `/api/v1/${NAMESPACE}/pods`;

export function workload(name: string, replicas: number, image: string): JsonObject {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image }] },
      },
    },
  };
}

export function newImage(image: string): JsonObject {
  return { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } };
}

export function rollout(name: string, workloadRef: JsonObject, strategy: JsonObject): JsonObject {
  return { metadata: { name }, spec: { workloadRef, strategy } };
}

export const APPROVAL = { status: { canaryStatus: { currentStepState: 'StepReady' } } };

export async function createService(sandbox: RolloutSandbox, name: string): Promise<void> {
  await sandbox.create('/api/v1', 'services', {
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ port: 80, targetPort: 8080, name: 'http' }] },
  });
}

export async function createIngress(sandbox: RolloutSandbox, name: string): Promise<void> {
  const backend = { service: { name, port: { number: 80 } } };
  const paths = [{ path: '/', pathType: 'Prefix', backend }];
  await sandbox.create('/apis/networking.k8s.io/v1', 'ingresses', {
    metadata: { name, annotations: { 'kubernetes.io/ingress.class': 'nginx' } },
    spec: { rules: [{ host: `${name}.test`, http: { paths } }] },
  });
}
