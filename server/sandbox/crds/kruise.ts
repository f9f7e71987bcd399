import { type JsonObject } from '@/lib/kube/json';
import { advancedDaemonSetCrd } from '@/server/sandbox/crds/advanced-daemon-set';
import { advancedStatefulSetCrd } from '@/server/sandbox/crds/advanced-stateful-set';
import { batchReleaseCrd } from '@/server/sandbox/crds/batch-release';
import { cloneSetCrd } from '@/server/sandbox/crds/clone-set';
import { rolloutCrd } from '@/server/sandbox/crds/rollout';
import { rolloutHistoryCrd } from '@/server/sandbox/crds/rollout-history';
import { trafficRoutingCrd } from '@/server/sandbox/crds/traffic-routing';

/** What OpenKruise brings to a cluster: each to be created as it is. */
export const kruiseCrds: readonly JsonObject[] = [
  cloneSetCrd,
  advancedStatefulSetCrd,
  advancedDaemonSetCrd,
  rolloutCrd,
  batchReleaseCrd,
  trafficRoutingCrd,
  rolloutHistoryCrd,
];
