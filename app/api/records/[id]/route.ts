import { readRoute } from '@/app/api/handlers';
import { recordParams } from '@/app/api/params';
import { recordQuerySchema } from '@/lib/api/records';
import { readRecord, readRolloutHistory } from '@/server/reads/records';

export const GET = readRoute(
  '/api/records/{id}',
  recordParams,
  recordQuerySchema,
  ({ reads, viewer, params, query }) => {
    const read = query.format === 'rollouthistory' ? readRolloutHistory : readRecord;
    return read(reads, viewer, params.id);
  },
);
