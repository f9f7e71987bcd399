import { readRoute } from '@/app/api/handlers';
import { workloadParams } from '@/app/api/params';
import { lifeQuerySchema } from '@/lib/api/workloads';
import { workloadOrLife } from '@/server/reads/past-life';

export const GET = readRoute(
  '/api/workloads/{…}',
  workloadParams,
  lifeQuerySchema,
  ({ reads, viewer, params, query }) => workloadOrLife(reads, viewer, params, query.uid),
);
