import { writeRoute } from '@/app/api/handlers';
import { recordParams } from '@/app/api/params';
import { reviewRequestSchema } from '@/lib/api/records';
import { saveVerdict } from '@/server/reviews/reviews';

export const PUT = writeRoute(
  '/api/records/{id}/review',
  recordParams,
  reviewRequestSchema,
  ({ reads, viewer, params, body }) => saveVerdict(reads, viewer, params.id, body),
  'PUT',
);
