import { readRoute } from '@/app/api/handlers';
import { noParams, workloadParams } from '@/app/api/params';

export const GET = readRoute(
  '/api/rollouts/{…}/actions',
  workloadParams,
  noParams,
  async ({ actions, viewer, params }) => ({ items: await actions.list(viewer, params) }),
);
