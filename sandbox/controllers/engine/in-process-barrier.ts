import { groupVersion } from '@/sandbox/api/objects/resource-kind';
import { type SandboxApi } from '@/sandbox/api/sandbox-api';
import { type Barrier } from '@/sandbox/controllers/engine/controller-manager';

/**
 * The changes of an API server in the same process, and a way to send each watch of a user its current
 * version.
 */
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
