import { readRoute } from '@/app/api/handlers';
import { noParams, workloadParams } from '@/app/api/params';
import { workloadDetail } from '@/server/reads/detail';

export const GET = readRoute('/api/workloads/{…}', workloadParams, noParams, ({ reads, viewer, params }) =>
  workloadDetail(reads, viewer, params),
);
