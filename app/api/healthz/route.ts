import { readRoute } from '@/app/api/handlers';
import { noParams } from '@/app/api/params';

/** The process answers. Says nothing of the cluster: a cluster out of reach is no reason to restart Shiplog. */
export const GET = readRoute('/api/healthz', noParams, noParams, () => ({ ok: true }));
