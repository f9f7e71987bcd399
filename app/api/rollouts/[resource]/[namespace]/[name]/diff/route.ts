import { readRoute } from '@/app/api/handlers';
import { noParams, workloadParams } from '@/app/api/params';
import { diffOfRollout } from '@/server/reads/rollout-diff';

export const GET = readRoute(
  '/api/rollouts/{…}/diff',
  workloadParams,
  noParams,
  ({ reads, viewer, params }) => diffOfRollout(reads, viewer, params),
);
