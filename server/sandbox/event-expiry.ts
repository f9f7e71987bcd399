import { type Transport } from '@/server/cluster/transport';
import { listAt, textAt } from '@/server/sandbox/api/stored-object';

/** As long as API servers keep events unless told otherwise (`--event-ttl`). */
const EVENT_TTL_MS = 3_600_000;

/** Deletes the events that nobody has repeated for an hour; `now` in milliseconds since the epoch. */
export async function expireEvents(transport: Transport, now: number): Promise<void> {
  const answer = await transport.json({ method: 'GET', path: '/api/v1/events' });
  for (const event of listAt(answer, 'items')) {
    const last = textAt(event, 'lastTimestamp') || textAt(event, 'metadata', 'creationTimestamp');
    if (Date.parse(last) > now - EVENT_TTL_MS) continue;
    const path = `/api/v1/namespaces/${textAt(event, 'metadata', 'namespace')}/events/${textAt(event, 'metadata', 'name')}`;
    await transport.json({ method: 'DELETE', path });
  }
}
