import { type Transport } from '@/server/cluster/transport';
import { listOrEmptyAt, textOrEmptyAt } from '@/sandbox/api/objects/stored-object';

/** The default of API servers (`--event-ttl`). */
const EVENT_TTL_MS = 3_600_000;

/** Deletes the events that were not repeated for an hour; `now` in milliseconds since the epoch. */
export async function expireEvents(transport: Transport, now: number): Promise<void> {
  const answer = await transport.json({ method: 'GET', path: '/api/v1/events' });
  for (const event of listOrEmptyAt(answer, 'items')) {
    const last =
      textOrEmptyAt(event, 'lastTimestamp') || textOrEmptyAt(event, 'metadata', 'creationTimestamp');
    if (Date.parse(last) > now - EVENT_TTL_MS) continue;
    const path = `/api/v1/namespaces/${textOrEmptyAt(event, 'metadata', 'namespace')}/events/${textOrEmptyAt(event, 'metadata', 'name')}`;
    await transport.json({ method: 'DELETE', path });
  }
}
