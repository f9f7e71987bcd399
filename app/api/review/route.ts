import { readRoute } from '@/app/api/handlers';
import { noParams } from '@/app/api/params';
import { reviewQueueQuerySchema } from '@/lib/api/review';
import { readReviewQueue } from '@/server/reads/review-queue';

export const GET = readRoute('/api/review', noParams, reviewQueueQuerySchema, ({ reads, viewer, query }) =>
  readReviewQueue(reads, viewer, query),
);
