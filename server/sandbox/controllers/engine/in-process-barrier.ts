import { groupVersion } from '@/server/sandbox/api/resource-kind';
import { type SandboxApi } from '@/server/sandbox/api/sandbox-api';
import { type Barrier } from '@/server/sandbox/controllers/engine/world';

/**
 * Tells each watch of a user how far it is. An API server in the same process writes every change to its watches at
 * once, so whatever was changed before has been told by then.
 */
export function barrierOf(api: Pick<SandboxApi, 'store' | 'watches'>, user: string): Barrier {
  return () => {
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
    return Promise.resolve(resourceVersion);
  };
}
