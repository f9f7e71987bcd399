import { readRoute } from '@/app/api/handlers';
import { noParams } from '@/app/api/params';
import { activityQuerySchema } from '@/lib/api/activity';
import { listActivity } from '@/server/reads/activity';
import { notificationTargets } from '@/server/reads/notifications';

export const GET = readRoute(
  '/api/activity',
  noParams,
  activityQuerySchema,
  async ({ reads, actions, journal, viewer, query }) => {
    const source = { latest: () => actions.latest(), settled: () => journal.settled() };
    return {
      ...(await listActivity(reads, viewer, source, query)),
      notifications: await notificationTargets(reads),
    };
  },
);
