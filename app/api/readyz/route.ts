import { readRoute } from '@/app/api/handlers';
import { noParams } from '@/app/api/params';

/** 200 once every cache is filled or known to be forbidden, and from then on; staleness is in the answers. */
export const GET = readRoute('/api/readyz', noParams, noParams, ({ cluster }) => {
  const waiting = cluster.cache.states().filter((state) => !state.synced);
  const body = { ready: cluster.ready, waitingFor: waiting.map(({ resource }) => resource) };
  return Response.json(body, { status: cluster.ready ? 200 : 503 });
});
