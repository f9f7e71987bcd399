import { z } from 'zod';
import { readRoute } from '@/app/api/handlers';
import { podParams } from '@/app/api/params';
import { podLogs } from '@/server/reads/pods';

const querySchema = z.object({
  container: z.string().min(1).max(253).optional(),
  previous: z.enum(['0', '1']).optional(),
});

export const GET = readRoute(
  '/api/workloads/{…}/pods/{pod}/logs',
  podParams,
  querySchema,
  ({ reads, viewer, params, query: { container, previous } }) =>
    podLogs(reads, viewer, params, { pod: params.pod, container, previous: previous === '1' }),
);
