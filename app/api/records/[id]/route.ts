import { readRoute } from '@/app/api/handlers';
import { recordParams } from '@/app/api/params';
import { recordFormatQuerySchema } from '@/lib/api/records';
import { readRecord, readRecordAsRolloutHistory } from '@/server/reads/records';

export const GET = readRoute(
  '/api/records/{id}',
  recordParams,
  recordFormatQuerySchema,
  ({ reads, viewer, params, query }) => {
    const read = query.format === 'rollouthistory' ? readRecordAsRolloutHistory : readRecord;
    return read(reads, viewer, params.id);
  },
);
