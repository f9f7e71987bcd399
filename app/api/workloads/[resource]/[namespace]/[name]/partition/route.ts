import { writeRoute } from '@/app/api/handlers';
import { workloadParams } from '@/app/api/params';
import { partitionRequestSchema } from '@/lib/api/actions';

export const POST = writeRoute(
  '/api/workloads/{…}/partition',
  workloadParams,
  partitionRequestSchema,
  ({ actions, viewer, params, body }) => actions.partition(viewer, params, body),
);
