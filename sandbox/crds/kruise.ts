import { type JsonObject } from '@/lib/kube/json';
import { advancedDaemonSetCrd } from '@/sandbox/crds/advanced-daemon-set';
import { advancedStatefulSetCrd } from '@/sandbox/crds/advanced-stateful-set';
import { batchReleaseCrd } from '@/sandbox/crds/batch-release';
import { cloneSetCrd } from '@/sandbox/crds/clone-set';
import { rolloutCrd } from '@/sandbox/crds/rollout';
import { rolloutHistoryCrd } from '@/sandbox/crds/rollout-history';
import { trafficRoutingCrd } from '@/sandbox/crds/traffic-routing';

/** The definitions that OpenKruise installs in a cluster, to be created unchanged. */
export const kruiseCrds: readonly JsonObject[] = [
  cloneSetCrd,
  advancedStatefulSetCrd,
  advancedDaemonSetCrd,
  rolloutCrd,
  batchReleaseCrd,
  trafficRoutingCrd,
  rolloutHistoryCrd,
];
