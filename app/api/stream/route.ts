import { readRoute } from '@/app/api/handlers';
import { noParams } from '@/app/api/params';
import { AppError } from '@/lib/errors';
import { visibleKeys } from '@/server/reads/keys';
import { connectionState } from '@/server/runtime';

/** Server-sent events: changed keys, the connection's state, `resync` after a gap, `bye` at the end. */
export const GET = readRoute('/api/stream', noParams, noParams, ({ cluster, hub, viewer, request }) => {
  const stream = hub.open(
    (keys) => visibleKeys(cluster, viewer, keys),
    request.headers.get('last-event-id'),
    { event: 'state', data: connectionState(cluster) },
    request.signal,
  );
  if (stream === undefined) {
    throw new AppError(
      'rate_limited',
      'Too many browsers are connected, or Shiplog is stopping. Try again soon.',
    );
  }
  return new Response(stream, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  });
});
