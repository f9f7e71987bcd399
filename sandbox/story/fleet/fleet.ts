import { ARGO } from '@/sandbox/story/fleet/argo';
import { EDGE } from '@/sandbox/story/fleet/edge';
import { FLAGGER } from '@/sandbox/story/fleet/flagger';
import { KRUISE } from '@/sandbox/story/fleet/kruise';
import { KUBEVELA } from '@/sandbox/story/fleet/kubevela';
import { ML } from '@/sandbox/story/fleet/ml';
import { OAM } from '@/sandbox/story/fleet/oam';
import { OPS } from '@/sandbox/story/fleet/ops';
import { PAYMENTS } from '@/sandbox/story/fleet/payments';
import { SEARCH } from '@/sandbox/story/fleet/search';
import { SHOP } from '@/sandbox/story/fleet/shop';
import { type WorkloadSeed } from '@/sandbox/story/workload-seed';

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
