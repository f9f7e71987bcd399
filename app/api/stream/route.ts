import { readRoute } from '@/app/api/handlers';
import { noParams } from '@/app/api/params';
import { streamState } from '@/server/reads/cluster';
import { visibleKeys } from '@/server/reads/visible-keys';

/** Server-sent events: changed keys, the connection's state, `resync` after a gap, `bye` at the end. */
export const GET = readRoute('/api/stream', noParams, noParams, ({ cluster, hub, viewer, request }) => {
  const stream = hub.open(
    viewer,
    (keys) => visibleKeys(cluster, viewer, keys),
    request.headers.get('last-event-id'),
    { event: 'state', data: streamState(cluster, viewer) },
    request.signal,
  );
  return new Response(stream, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  });
});
