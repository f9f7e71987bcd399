import { writeRoute } from '@/app/api/handlers';
import { recordParams } from '@/app/api/params';
import { reviewRequestSchema } from '@/lib/api/records';
import { giveVerdict } from '@/server/reads/reviews';

export const PUT = writeRoute(
  '/api/records/{id}/review',
  recordParams,
  reviewRequestSchema,
  ({ reads, viewer, params, body }) => giveVerdict(reads, viewer, params.id, body),
  'PUT',
);
