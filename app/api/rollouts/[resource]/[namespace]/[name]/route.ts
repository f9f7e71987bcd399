import { readRoute } from '@/app/api/handlers';
import { noParams, workloadParams } from '@/app/api/params';
import { readRollout } from '@/server/reads/rollouts';

export const GET = readRoute('/api/rollouts/{…}', workloadParams, noParams, ({ reads, viewer, params }) =>
  readRollout(reads, viewer, params),
);
