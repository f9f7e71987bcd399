import { ARGO, FLAGGER } from '@/sandbox/seed/fleet/argo-and-flagger';
import { KRUISE } from '@/sandbox/seed/fleet/kruise';
import { KUBEVELA, OAM } from '@/sandbox/seed/fleet/oam-and-kubevela';
import { ML, OPS } from '@/sandbox/seed/fleet/platform';
import { EDGE, PAYMENTS, SEARCH, SHOP } from '@/sandbox/seed/fleet/services';
import type { WorkloadSeed } from '@/sandbox/seed/workload';

/** Every workload of the shop, in six namespaces, with its history of the last weeks. */
export const FLEET: readonly WorkloadSeed[] = [
  ...[...SHOP, ...PAYMENTS, ...SEARCH, ...ML, ...EDGE, ...OPS],
  ...[...KRUISE, ...ARGO, ...FLAGGER, ...OAM, ...KUBEVELA],
];

/** One of several sandbox clusters, in the order in which they get a version. */
export interface ClusterSeed {
  readonly name: string;
  readonly title: string;
  readonly stage: string;
  readonly fleet: readonly WorkloadSeed[];
  /** Milliseconds by which everything happens later than the fleet says; negative: earlier. */
  readonly delayMs: number;
}

const HOUR_MS = 3_600_000;
const SERVICES = [...SHOP, ...PAYMENTS, ...SEARCH, ...EDGE];

/** A version reaches staging three hours before the first production cluster, and the second one two days later. */
export const CLUSTERS: readonly ClusterSeed[] = [
  { name: 'staging', title: 'staging', stage: 'staging', fleet: SERVICES, delayMs: -3 * HOUR_MS },
  { name: 'prod-eu', title: 'Production EU', stage: 'production', fleet: FLEET, delayMs: 0 },
  { name: 'prod-us', title: 'Production US', stage: 'production', fleet: SERVICES, delayMs: 48 * HOUR_MS },
];
