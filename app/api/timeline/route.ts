import { readRoute } from '@/app/api/handlers';
import { noParams } from '@/app/api/params';
import { timelineQuerySchema } from '@/lib/api/timeline';
import { readFleetTimeline } from '@/server/reads/fleet-timeline';

export const GET = readRoute('/api/timeline', noParams, timelineQuerySchema, ({ reads, viewer, query }) =>
  readFleetTimeline(reads, viewer, query),
);
