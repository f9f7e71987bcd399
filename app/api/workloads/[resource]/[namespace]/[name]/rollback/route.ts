import { writeRoute } from '@/app/api/handlers';
import { workloadParams } from '@/app/api/params';
import { rollbackRequestSchema } from '@/lib/api/actions';

export const POST = writeRoute(
  '/api/workloads/{…}/rollback',
  workloadParams,
  rollbackRequestSchema,
  ({ actions, viewer, params, body }) => actions.rollback(viewer, params, body),
);
