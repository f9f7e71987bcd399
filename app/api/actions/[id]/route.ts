import { readRoute } from '@/app/api/handlers';
import { actionParams, noParams } from '@/app/api/params';

export const GET = readRoute('/api/actions/{id}', actionParams, noParams, ({ actions, viewer, params }) =>
  actions.get(viewer, params.id),
);
