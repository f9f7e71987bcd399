import 'server-only';
import { randomUUID } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { type IncomingMessage } from 'node:http';
import { z } from 'zod';

/** Its name differs with each process, so that no client can send it. */
const header = `x-shiplog-peer-${randomUUID()}`;
const started = z.object({
  request: z.custom<IncomingMessage>(),
  socket: z.object({ remoteAddress: z.string().optional() }),
});

/**
 * Notes the address of the other end of each connection before Next takes the request, whose handlers see none.
 * https://nodejs.org/api/diagnostics_channel.html#http
 */
export function notePeers(): void {
  subscribe('http.server.request.start', (message) => {
    const { request, socket } = started.parse(message);
    if (socket.remoteAddress !== undefined) request.headers[header] = socket.remoteAddress;
  });
}

/** Undefined where {@link notePeers} has not run. */
export function peerOf(request: Request): string | undefined {
  return request.headers.get(header) ?? undefined;
}
