import { readRoute } from '@/app/api/handlers';
import { noParams } from '@/app/api/params';
import { recordListQuerySchema } from '@/lib/api/records';
import { listRecords } from '@/server/reads/records';

export const GET = readRoute('/api/records', noParams, recordListQuerySchema, ({ reads, viewer, query }) =>
  listRecords(reads, viewer, query),
);
