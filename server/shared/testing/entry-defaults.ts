import { type EntryDefaults } from '@/server/shared/cluster-entry';

/** Of a configuration that states nothing. */
export const entryDefaults: EntryDefaults = {
  ...{ stage: null, namespaces: [], readOnly: false, links: [] },
  ...{ credential: 'impersonate', identity: { usernamePrefix: '', groupsPrefix: '' } },
};
