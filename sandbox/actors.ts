import type { Clock } from '@/server/shared/clock';
import { type ClusterTransport, createTransport } from '@/server/cluster/transport';
import type { Logger } from '@/server/shared/log';
import type { SandboxApi } from '@/sandbox/api/sandbox-api';
import { type Controllers, startControllers } from '@/sandbox/controllers/controllers';
import { barrierOf } from '@/sandbox/controllers/runtime/controller-manager';
import { seedBehaviour, seedMetrics } from '@/sandbox/seed/behaviour';
import type { Credentials, RequestAuth } from '@/server/cluster/credentials';

/** The actors of the sandbox: the user that acts for people, and the controllers. */
interface SandboxActors {
  /** May impersonate. */
  readonly people: ClusterTransport;
  readonly controllers: Controllers;
  /** Resolves when no actor writes any more. */
  stop(): Promise<void>;
}

/** The user of the sandbox's kubeconfigs. */
export const OWNER = 'admin';
const MANAGER = 'system:kube-controller-manager';
const NODES = ['worker-1', 'worker-2', 'worker-3', 'worker-4', 'worker-5'].map((name) => ({ name }));

/** `eventsFrom`, milliseconds since the epoch: earlier events are not written, as if they had expired. */
export function startActors(api: SandboxApi, clock: Clock, log: Logger, eventsFrom = 0): SandboxActors {
  const people = createUserTransport(api, OWNER);
  const manager = createUserTransport(api, MANAGER);
  const controllers = startControllers({
    transport: manager,
    clock,
    log,
    nodes: NODES,
    podBehaviour: seedBehaviour,
    metrics: seedMetrics,
    barrier: barrierOf(api, MANAGER),
    eventsFrom,
  });
  return {
    people,
    controllers,
    stop: async () => {
      await controllers.stop();
      await Promise.all([people.close(), manager.close()]);
    },
  };
}

/** A transport to the sandbox's API server as one of its users, without a kubeconfig. */
export function createUserTransport(api: SandboxApi, user: string): ClusterTransport {
  // The certificate of the API server may be renewed.
  const authOf = (headers: RequestAuth['headers']): RequestAuth => ({
    headers,
    impersonate: undefined,
    connection: { type: 'direct', connect: { ca: api.ca } },
    fingerprint: api.ca,
  });
  const credentials: Credentials = {
    server: api.url,
    context: 'sandbox',
    clusterHash: '',
    current: () => Promise.resolve(authOf({ Authorization: `Bearer ${api.tokens[user] ?? ''}` })),
    anonymous: () => Promise.resolve(authOf({})),
    renew: () => undefined,
  };
  return createTransport({ credentials, readOnly: false });
}
