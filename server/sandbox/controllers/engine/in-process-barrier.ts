import { groupVersion } from '@/server/sandbox/api/resource-kind';
import { type SandboxApi } from '@/server/sandbox/api/sandbox-api';
import { type Barrier } from '@/server/sandbox/controllers/engine/world';

/** What an API server in the same process has changed, and a way to have each watch of a user hear how far that is. */
export function barrierOf(api: Pick<SandboxApi, 'store' | 'watches'>, user: string): Barrier {
  return {
    latestChange: ({ apiVersion, plural }) => {
      const [group] = apiVersion.includes('/') ? apiVersion.split('/') : [];
      return String(api.store.latestChange(group === undefined ? plural : `${plural}.${group}`));
    },
    remind: () => {
      const resourceVersion = String(api.store.version);
      for (const watch of api.watches.openWatches) {
        if (watch.user !== user) continue;
        const object = {
          apiVersion: groupVersion(watch.kind.group, watch.kind.versions[0] ?? ''),
          kind: watch.kind.kind,
          metadata: { resourceVersion },
        };
        watch.write({ type: 'BOOKMARK', object });
      }
    },
  };
}
