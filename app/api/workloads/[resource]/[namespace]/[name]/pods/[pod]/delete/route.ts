import { writeRoute } from '@/app/api/handlers';
import { podParams } from '@/app/api/params';
import { podDeleteRequestSchema } from '@/lib/api/actions';

export const POST = writeRoute(
  '/api/workloads/{…}/pods/{pod}/delete',
  podParams,
  podDeleteRequestSchema,
  ({ actions, viewer, params: { pod, ...ref }, body }) => actions.deletePod(viewer, ref, pod, body),
);
