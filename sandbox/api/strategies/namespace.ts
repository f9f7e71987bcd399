import { type RestStrategy } from '@/sandbox/api/objects/resource-kind';

export const namespaceStrategy: RestStrategy = {
  prepareCreate(namespace) {
    namespace.metadata.labels = {
      ...namespace.metadata.labels,
      'kubernetes.io/metadata.name': namespace.metadata.name,
    };
    namespace.spec = { finalizers: ['kubernetes'] };
    namespace.status = { phase: 'Active' };
  },
  prepareUpdate(namespace, previous) {
    namespace.spec = previous.spec;
  },
};
