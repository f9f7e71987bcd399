import { readRoute } from '@/app/api/handlers';
import { noParams } from '@/app/api/params';
import { reportQuerySchema } from '@/lib/api/reports';
import { reportAnswer } from '@/server/reads/report-answer';
import { readReport } from '@/server/reads/report';

export const GET = readRoute('/api/reports', noParams, reportQuerySchema, async ({ reads, viewer, query }) =>
  reportAnswer(await readReport(reads, viewer, query), query.format),
);
