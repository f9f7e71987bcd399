import { readRoute } from '@/app/api/handlers';
import { noParams } from '@/app/api/params';
import { rolloutListQuerySchema } from '@/lib/api/rollouts';
import { listRollouts } from '@/server/reads/rollouts';

export const GET = readRoute('/api/rollouts', noParams, rolloutListQuerySchema, ({ reads, viewer, query }) =>
  listRollouts(reads, viewer, query),
);
