import { readRoute } from '@/app/api/handlers';
import { noParams } from '@/app/api/params';

/** The process answers. Does not depend on the cluster: an unreachable cluster is no reason to restart Shiplog. */
export const GET = readRoute('/api/healthz', noParams, noParams, () => ({ ok: true }));
