import { writeRoute } from '@/app/api/handlers';
import { recordParams } from '@/app/api/params';
import { commentRequestSchema } from '@/lib/api/records';
import { addComment } from '@/server/reviews/reviews';

export const POST = writeRoute(
  '/api/records/{id}/comments',
  recordParams,
  commentRequestSchema,
  ({ reads, viewer, params, body }) => addComment(reads, viewer, params.id, body),
);
