import { CONTROLLER_LABEL, CONTROLLER_VALUE, OAM_FIELD_MANAGER } from '@/lib/oam/eligibility';
import { keyOf } from '@/server/cluster/reflector-store';
import type { SendQuery } from '@/server/controllers/oam-rollout/checker';
import { RolloutReconciler } from '@/server/controllers/oam-rollout/rollout-reconciler';
import { webhookRules } from '@/server/controllers/oam-rollout/webhook-rules';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';

/** The current value of a query; undefined for an unknown one. */
export type PlayedMetrics = (query: string) => number | undefined;

/** No server listens there: requests are answered in this process. */
const PROMETHEUS = 'http://prometheus.invalid';

/**
 * Runs Shiplog's own controller for OAM Rollouts, wherever they are served, one move at a time and in step
 * with the other controllers. Webhooks approve; metrics have the given values.
 */
export function runOamRollouts(manager: ControllerManager, metrics: PlayedMetrics): void {
  const mover = new RolloutReconciler({
    transport: manager.transport,
    clock: manager.clock,
    log: manager.log,
    // The only process, and an API server without admission policies: its people are played.
    mayAct: () => true,
    prometheusUrl: PROMETHEUS,
    // Nothing goes over the network.
    webhooks: webhookRules([]),
    send: answering(metrics),
    writeEvent: (about, notice) => {
      manager.events.record({ about, ...notice, source: { component: OAM_FIELD_MANAGER } });
      return Promise.resolve();
    },
  });
  const work = manager.register((key) => mover.sync(key, work));
  manager.follow('rollouts.standard.oam.dev').onChange(({ object }) => {
    if (object?.metadata.labels?.[CONTROLLER_LABEL] === CONTROLLER_VALUE) work.add(keyOf(object));
  });
}

/** https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries */
function answering(metrics: PlayedMetrics): SendQuery {
  return (url) => {
    const query = url.startsWith(PROMETHEUS) ? new URL(url).searchParams.get('query') : null;
    const value = query === null ? undefined : metrics(query);
    const result = value === undefined ? [] : [0, String(value)];
    const data = { resultType: value === undefined ? 'vector' : 'scalar', result };
    return Promise.resolve({ status: 200, text: JSON.stringify({ status: 'success', data }) });
  };
}
