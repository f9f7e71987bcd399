import { readRoute } from '@/app/api/handlers';
import { noParams, workloadParams } from '@/app/api/params';
import { workloadEvents } from '@/server/reads/pods';

export const GET = readRoute(
  '/api/workloads/{…}/events',
  workloadParams,
  noParams,
  ({ reads, viewer, params }) => workloadEvents(reads, viewer, params),
);
