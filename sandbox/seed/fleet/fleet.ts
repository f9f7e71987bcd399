import { ARGO } from '@/sandbox/seed/fleet/argo';
import { EDGE } from '@/sandbox/seed/fleet/edge';
import { FLAGGER } from '@/sandbox/seed/fleet/flagger';
import { KRUISE } from '@/sandbox/seed/fleet/kruise';
import { KUBEVELA } from '@/sandbox/seed/fleet/kubevela';
import { ML } from '@/sandbox/seed/fleet/ml';
import { OAM } from '@/sandbox/seed/fleet/oam';
import { OPS } from '@/sandbox/seed/fleet/ops';
import { PAYMENTS } from '@/sandbox/seed/fleet/payments';
import { SEARCH } from '@/sandbox/seed/fleet/search';
import { SHOP } from '@/sandbox/seed/fleet/shop';
import { type WorkloadSeed } from '@/sandbox/seed/workload-seed';

/** Every workload of the shop, in six namespaces, with its history of the last weeks. */
export const FLEET: readonly WorkloadSeed[] = [
  ...SHOP,
  ...PAYMENTS,
  ...SEARCH,
  ...ML,
  ...EDGE,
  ...OPS,
  ...KRUISE,
  ...ARGO,
  ...FLAGGER,
  ...OAM,
  ...KUBEVELA,
];
