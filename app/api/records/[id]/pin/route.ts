import { writeRoute } from '@/app/api/handlers';
import { recordParams } from '@/app/api/params';
import { pinRequestSchema } from '@/lib/api/records';
import { pinRecord } from '@/server/reviews/reviews';

export const PUT = writeRoute(
  '/api/records/{id}/pin',
  recordParams,
  pinRequestSchema,
  ({ reads, viewer, params, body }) => pinRecord(reads, viewer, params.id, body.pinned),
  'PUT',
);
