import type { JsonObject } from '@/lib/kube/json';
import type { Marked, Owner, OwnerReading, Reading } from '@/lib/owners/owner';

export const NOW = Date.parse('2026-08-01T12:00:00Z');

/** The Deployment `shop/cart`. */
export function marked(parts: Partial<Omit<Marked, 'writes'>> = {}, ...managers: string[]): Marked {
  return {
    resource: 'deployments.apps',
    namespace: 'shop',
    name: 'cart',
    labels: {},
    annotations: {},
    writes: managers.map((manager) => ({
      manager,
      operation: 'Update',
      time: null,
      subresource: null,
      template: true,
      revision: false,
    })),
    ...parts,
  };
}

export function found(object: JsonObject): Reading {
  return { state: 'found', object };
}

export const application: Extract<Owner, { kind: 'application' }> = {
  kind: 'application',
  namespace: null,
  name: 'shop',
  installation: null,
  evidence: '',
};

export function argo(spec: JsonObject = {}, status: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {
    metadata: { name: 'shop', namespace: 'argocd', ...metadata },
    spec: {
      source: { repoURL: 'https://git.example/shop.git', path: 'deploy/prod' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
      ...spec,
    },
    status,
  };
}

export const selfHeal = { syncPolicy: { automated: { selfHeal: true } } };
export const succeeded = { operationState: { phase: 'Succeeded' } };

/** An application that was read, with a project without windows. */
export function argoReading(object: JsonObject, parts: Partial<OwnerReading> = {}): OwnerReading {
  return { owner: application, object: found(object), project: found({ spec: {} }), parents: [], ...parts };
}
