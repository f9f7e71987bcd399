import { writeRoute } from '@/app/api/handlers';
import { commentParams } from '@/app/api/params';
import { commentEditSchema } from '@/lib/api/records';
import { editComment } from '@/server/reviews/reviews';

export const PUT = writeRoute(
  '/api/records/{id}/comments/{…}',
  commentParams,
  commentEditSchema,
  ({ reads, viewer, params, body }) => editComment(reads, viewer, params.id, params.comment, body),
  'PUT',
);
