import { type Clock } from '@/server/shared/clock';
import { type ClusterTransport } from '@/server/cluster/transport';
import { type Logger } from '@/server/shared/log';
import { type SandboxApi } from '@/sandbox/api/sandbox-api';
import { type Controllers, startControllers } from '@/sandbox/controllers/controllers';
import { barrierOf } from '@/sandbox/controllers/engine/in-process-barrier';
import { createUserTransport } from '@/sandbox/user-transport';
import { seedBehaviour } from '@/sandbox/seed/behaviour';
import { seedMetrics } from '@/sandbox/seed/metrics';

/** The actors of the sandbox: the user that acts for people, and the controllers. */
export interface SandboxActors {
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
