import { readRoute } from '@/app/api/handlers';
import { workloadParams } from '@/app/api/params';
import { diffQuerySchema } from '@/lib/api/diff';
import { diffRevisions } from '@/server/reads/diff';

export const GET = readRoute(
  '/api/workloads/{…}/diff',
  workloadParams,
  diffQuerySchema,
  ({ reads, viewer, params, query: { from, to, yaml } }) =>
    diffRevisions(reads, viewer, params, { from, to, yaml: yaml === '1' }),
);
