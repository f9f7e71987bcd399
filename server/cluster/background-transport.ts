import type { KubeRequest } from '@/server/cluster/kube-request';
import type { Transport } from '@/server/cluster/transport';

/**
 * For readers that no request waits for: while the API server is known to be away, their requests wait until it answers
 * again, so that an outage costs the probes of the heartbeat and nothing else. `untilAnswered` rejects with the reason
 * of the request's signal once it is aborted. `stopping` ends the wait of requests without a signal.
 */
export function backgroundTransport(
  transport: Transport,
  untilAnswered: (signal: AbortSignal) => Promise<void>,
  stopping: AbortSignal,
): Transport {
  async function turnOf({ signal }: KubeRequest): Promise<void> {
    if (signal !== undefined) return untilAnswered(signal);
    // A transport that is closed tells what happened.
    await untilAnswered(stopping).catch(() => undefined);
  }
  // prettier-ignore
  return {
    server: transport.server,
    async json(request) { await turnOf(request); return transport.json(request); },
    async text(request) { await turnOf(request); return transport.text(request); },
    async stream(request) { await turnOf(request); return transport.stream(request); },
    close: () => transport.close(),
    get stats() { return transport.stats; },
    get serverDateMs() { return transport.serverDateMs; },
  };
}
