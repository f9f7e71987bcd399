import { writeRoute } from '@/app/api/handlers';
import { workloadParams } from '@/app/api/params';
import { controlRequestSchema } from '@/lib/api/actions';

export const POST = writeRoute(
  '/api/workloads/{…}/restart',
  workloadParams,
  controlRequestSchema,
  ({ actions, viewer, params, body }) => actions.control(viewer, params, 'restart', body),
);
