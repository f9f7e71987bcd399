import { readRoute } from '@/app/api/handlers';
import { noParams } from '@/app/api/params';
import { rolloutHistoryListQuerySchema } from '@/lib/api/rollouts';
import { listRolloutHistories } from '@/server/reads/rollout-histories';

export const GET = readRoute(
  '/api/rollouthistories',
  noParams,
  rolloutHistoryListQuerySchema,
  ({ reads, viewer, query }) => listRolloutHistories(reads, viewer, query),
);
