import { readRoute } from '@/app/api/handlers';
import { workloadParams } from '@/app/api/params';
import { trackQuerySchema } from '@/lib/api/workloads';
import { workloadTrack } from '@/server/reads/track';

export const GET = readRoute(
  '/api/workloads/{…}/track',
  workloadParams,
  trackQuerySchema,
  ({ reads, viewer, params, query }) => workloadTrack(reads, viewer, params, query),
);
