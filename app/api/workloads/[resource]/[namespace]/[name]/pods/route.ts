import { readRoute } from '@/app/api/handlers';
import { noParams, workloadParams } from '@/app/api/params';
import { workloadPods } from '@/server/reads/pods';

export const GET = readRoute(
  '/api/workloads/{…}/pods',
  workloadParams,
  noParams,
  ({ reads, viewer, params }) => workloadPods(reads, viewer, params),
);
