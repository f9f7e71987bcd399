import { ARGO } from '@/server/sandbox/story/fleet/argo';
import { EDGE } from '@/server/sandbox/story/fleet/edge';
import { FLAGGER } from '@/server/sandbox/story/fleet/flagger';
import { KRUISE } from '@/server/sandbox/story/fleet/kruise';
import { KUBEVELA } from '@/server/sandbox/story/fleet/kubevela';
import { ML } from '@/server/sandbox/story/fleet/ml';
import { OAM } from '@/server/sandbox/story/fleet/oam';
import { OPS } from '@/server/sandbox/story/fleet/ops';
import { PAYMENTS } from '@/server/sandbox/story/fleet/payments';
import { SEARCH } from '@/server/sandbox/story/fleet/search';
import { SHOP } from '@/server/sandbox/story/fleet/shop';
import { type WorkloadStory } from '@/server/sandbox/story/story';

/** Every workload of the shop, in six namespaces, with what happened to it in the last weeks. */
export const FLEET: readonly WorkloadStory[] = [
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
