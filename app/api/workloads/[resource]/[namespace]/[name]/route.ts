import { readRoute } from '@/app/api/handlers';
import { workloadParams } from '@/app/api/params';
import { incarnationQuerySchema } from '@/lib/api/workloads';
import { workloadOrIncarnation } from '@/server/reads/earlier-incarnation';

export const GET = readRoute(
  '/api/workloads/{…}',
  workloadParams,
  incarnationQuerySchema,
  ({ reads, viewer, params, query }) => workloadOrIncarnation(reads, viewer, params, query.uid),
);
