import { waitFor } from '@/e2e/controlplane/wait';
import type { KubeObject } from '@/lib/kube/object';
import { loadCredentials } from '@/server/cluster/credentials';
import { Reflector } from '@/server/cluster/reflector';
import { createTransport } from '@/server/cluster/transport';

/** Detects when a namespace is idle. */
export interface IdleWatcher {
  /** Returns when nothing has changed for a while and no rollout is in progress. */
  settle(namespace: string): Promise<void>;
  close(): Promise<void>;
}

/** Their controllers report in the status which generation they have observed. */
const OBSERVED = [
  '/apis/apps/v1/deployments',
  '/apis/apps/v1/replicasets',
  '/apis/apps/v1/statefulsets',
  '/apis/apps/v1/daemonsets',
];
const WATCHED = [...OBSERVED, '/apis/apps/v1/controllerrevisions', '/api/v1/pods'];
/** On a busy machine a controller may take this long to notice what another has done. */
const IDLE_MS = 2_500;

interface Known {
  readonly namespace: string;
  readonly isUnderWay: boolean;
}

/** `kubeconfig`: path of one whose user can read everything. */
export async function startIdleWatcher(kubeconfig: string): Promise<IdleWatcher> {
  const transport = createTransport({
    credentials: loadCredentials({ kind: 'kubeconfig', files: [kubeconfig] }),
    readOnly: true,
  });
  const changedAt = new Map<string, number>();
  const reflectors = WATCHED.map(
    (path) =>
      new Reflector<Known>({
        transport,
        path,
        ingest: (object) => known(object, OBSERVED.includes(path)),
        onChange: ({ value }) => changedAt.set(value.namespace, Date.now()),
      }),
  );
  for (const reflector of reflectors) reflector.start();
  const isUnderWay = (namespace: string) =>
    reflectors.some(({ store }) =>
      [...store.values()].some((one) => one.isUnderWay && one.namespace === namespace),
    );
  await waitFor(() => reflectors.every(({ state }) => state.synced), { what: 'the namespaces are listed' });

  return {
    settle: async (namespace) => {
      const begun = Date.now();
      const isIdle = () => {
        const since = Math.max(begun, changedAt.get(namespace) ?? 0);
        return Date.now() - since >= IDLE_MS && !isUnderWay(namespace);
      };
      await waitFor(isIdle, { what: `${namespace} is at rest` });
    },
    close: async () => {
      await Promise.all(reflectors.map((reflector) => reflector.stop()));
      await transport.close();
    },
  };
}

/**
 * One that is to be observed has no `observedGeneration` until its controller has seen it for the first time, and one
 * with too many pods goes on however long that takes.
 */
function known({ metadata, spec = {}, status = {} }: KubeObject, isObserved: boolean): Known {
  const isUnobserved =
    (isObserved || 'observedGeneration' in status) &&
    status.observedGeneration !== (metadata as { generation?: number }).generation;
  const hasSurplus = spec.paused !== true && Number(status.availableReplicas) > Number(spec.replicas);
  return {
    namespace: metadata.namespace ?? '',
    isUnderWay: metadata.deletionTimestamp !== undefined || isUnobserved || hasSurplus,
  };
}
