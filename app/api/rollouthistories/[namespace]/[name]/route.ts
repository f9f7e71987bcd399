import { readRoute } from '@/app/api/handlers';
import { noParams, workloadParams } from '@/app/api/params';
import { readRolloutHistory } from '@/server/reads/rollout-histories';

const historyParams = workloadParams.omit({ resource: true });

export const GET = readRoute(
  '/api/rollouthistories/{…}',
  historyParams,
  noParams,
  ({ reads, viewer, params }) => readRolloutHistory(reads, viewer, params),
);
