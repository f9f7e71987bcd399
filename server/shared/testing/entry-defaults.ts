import type { EntryDefaults } from '@/server/shared/cluster-entry';

/** Of a configuration that states nothing. */
export const entryDefaults: EntryDefaults = {
  ...{ stage: null, namespaces: [], readOnly: false, links: [] },
  argocd: { namespaces: ['argocd', 'openshift-gitops'], name: null, cluster: null },
  ...{ credential: 'impersonate', identity: { usernamePrefix: '', groupsPrefix: '' } },
};
