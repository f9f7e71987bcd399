import { readRoute } from '@/app/api/handlers';
import { noParams } from '@/app/api/params';
import { workloadListQuerySchema } from '@/lib/api/workloads';
import { listWorkloads } from '@/server/reads/list-workloads';

export const GET = readRoute(
  '/api/workloads',
  noParams,
  workloadListQuerySchema,
  ({ reads, viewer, query }) => listWorkloads(reads, viewer, query),
);
