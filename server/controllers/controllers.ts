import 'server-only';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { ClusterInfo } from '@/lib/api/cluster';
import type { Clock } from '@/server/shared/clock';
import type { Transport } from '@/server/cluster/transport';
import type { Config } from '@/server/shared/config';
import { Leader, type LeaderState } from '@/server/controllers/leader';
import { AdmissionPolicy, type AdmissionState } from '@/server/controllers/oam-rollout/admission-policy';
import { OamRolloutController } from '@/server/controllers/oam-rollout/oam-rollout-controller';
import { webhookRules } from '@/server/controllers/oam-rollout/webhook-rules';
import type { Logger } from '@/server/shared/log';

/** A configured controller, and the process that runs it. */
export interface ControllerState extends Omit<LeaderState, 'state'> {
  readonly name: string;
  readonly state: ClusterInfo['controllers'][number]['state'];
}

export interface RunningControllers {
  states(): readonly ControllerState[];
  /** Resolves when the running work is done, and the lease has been released. */
  stop(): Promise<void>;
}

interface ControllersContext {
  readonly config: Pick<
    Config,
    'controllers' | 'namespaces' | 'leaseNamespace' | 'prometheusUrl' | 'oamWebhookHosts'
  >;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
}

const LEASE = 'shiplog-controllers';

/** Runs the configured controllers, in one of all processes; undefined when none is configured. */
export function startControllers({
  config,
  transport,
  clock,
  log,
}: ControllersContext): RunningControllers | undefined {
  if (!config.controllers.includes('oam-rollout')) return undefined;
  const leader = new Leader({
    transport,
    namespace: config.leaseNamespace,
    name: LEASE,
    holder: `${hostname()}_${randomUUID()}`,
    clock,
    log,
  });
  const policy = new AdmissionPolicy({ transport, clock, log });
  const rollouts = new OamRolloutController({
    transport,
    namespaces: config.namespaces,
    mayAct: () => leader.isHeld && policy.isEnforced,
    prometheusUrl: config.prometheusUrl,
    webhooks: webhookRules(config.oamWebhookHosts),
    clock,
    log,
  });
  leader.start();
  policy.start();
  rollouts.start();
  return {
    states: () => [{ name: 'oam-rollout', ...stateOf(leader.state, policy.state) }],
    stop: async () => {
      await rollouts.stop();
      await policy.stop();
      await leader.stop();
    },
  };
}

/** Without its policy no process acts, whichever of them leads. */
function stateOf(leader: LeaderState, policy: AdmissionState): Omit<ControllerState, 'name'> {
  switch (policy.is) {
    case 'unchecked':
      return { state: 'starting', since: policy.since, holder: undefined, problem: undefined };
    case 'missing':
      return { state: 'stopped', since: policy.since, holder: undefined, problem: policy.problem };
    case 'enforced':
      return leader;
    default:
      return policy satisfies never;
  }
}
