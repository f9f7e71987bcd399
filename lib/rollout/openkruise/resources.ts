import { customResource } from '@/lib/rollout/resource-types';

const GROUP = 'rollouts.kruise.io';

/** v1alpha1 shows a blue-green Rollout as empty; versions before 0.5 have nothing else. */
export const kruiseRollouts = customResource(GROUP, 'rollouts', 'Rollout', ['v1beta1', 'v1alpha1']);
export const batchReleases = customResource(GROUP, 'batchreleases', 'BatchRelease', ['v1beta1', 'v1alpha1']);
export const trafficRoutings = customResource(GROUP, 'trafficroutings', 'TrafficRouting', ['v1alpha1']);
export const rolloutHistories = customResource(GROUP, 'rollouthistories', 'RolloutHistory', ['v1alpha1']);

export const ROLLOUT_ID = `${GROUP}/rollout-id`;
export const ROLLOUT_NAME = `${GROUP}/rollout-name`;
export const BATCH_ID = `${GROUP}/rollout-batch-id`;
export const ROLLING_STYLE = `${GROUP}/rolling-style`;
export const TRAFFIC_ROUTING = `${GROUP}/trafficrouting`;
export const ROLLBACK_IN_BATCH = `${GROUP}/rollback-in-batch`;

/** Label of the objects that Shiplog wrote. */
export const MANAGED_BY_SHIPLOG = { 'app.kubernetes.io/managed-by': 'shiplog' } as const;
/** The annotation with the record that they were created from. */
export const RECORD_ANNOTATION = 'shiplog.dev/record';
