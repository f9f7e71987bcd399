import { readRoute } from '@/app/api/handlers';
import { noParams, recordParams } from '@/app/api/params';
import { readRecord } from '@/server/reads/records';

export const GET = readRoute('/api/records/{id}', recordParams, noParams, ({ reads, viewer, params }) =>
  readRecord(reads, viewer, params.id),
);
