import { EDGE } from '@/sandbox/seed/fleet/edge';
import { FLEET } from '@/sandbox/seed/fleet/fleet';
import { PAYMENTS } from '@/sandbox/seed/fleet/payments';
import { SEARCH } from '@/sandbox/seed/fleet/search';
import { SHOP } from '@/sandbox/seed/fleet/shop';
import { type WorkloadSeed } from '@/sandbox/seed/workload-seed';

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
