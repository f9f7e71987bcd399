import { readRoute } from '@/app/api/handlers';
import { noParams } from '@/app/api/params';
import { readFollowUps } from '@/server/reads/review-queue';

export const GET = readRoute('/api/review/follow-ups', noParams, noParams, ({ reads, viewer }) =>
  readFollowUps(reads, viewer),
);
