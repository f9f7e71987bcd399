import { readRoute } from '@/app/api/handlers';
import { noParams } from '@/app/api/params';
import { activityQuerySchema } from '@/lib/api/activity';
import { listActivity } from '@/server/reads/activity';

export const GET = readRoute(
  '/api/activity',
  noParams,
  activityQuerySchema,
  ({ reads, actions, viewer, query }) => listActivity(reads, viewer, actions.latest(), query),
);
