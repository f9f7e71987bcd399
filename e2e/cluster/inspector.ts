import { waitFor } from '@/e2e/controlplane/wait';
import type { Shiplog } from '@/e2e/support/shiplog';

/** Environment of a server whose heap can be inspected. */
export const inspectable = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/**
 * Bytes of the server's heap that are in use after a full garbage collection, through its inspector.
 * https://chromedevtools.github.io/devtools-protocol/v8/
 */
export async function usedHeap(shiplog: Shiplog): Promise<number> {
  const address = await waitFor(() => /ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/.exec(shiplog.log())?.[0], {
    what: 'the inspector listens',
  });
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', reject, { once: true });
  });
  try {
    // Twice: the second run collects what finalizers released.
    await call(socket, 'HeapProfiler.collectGarbage');
    await call(socket, 'HeapProfiler.collectGarbage');
    const { usedSize } = (await call(socket, 'Runtime.getHeapUsage')) as { usedSize: number };
    return usedSize;
  } finally {
    socket.close();
  }
}

let lastId = 0;

function call(socket: WebSocket, method: string): Promise<unknown> {
  const id = ++lastId;
  return new Promise((resolve, reject) => {
    const onMessage = ({ data }: MessageEvent) => {
      const answer = JSON.parse(String(data)) as { id?: number; result?: unknown; error?: unknown };
      if (answer.id !== id) return;
      socket.removeEventListener('message', onMessage);
      if (answer.error === undefined) resolve(answer.result);
      else reject(new Error(`${method}: ${JSON.stringify(answer.error)}`));
    };
    socket.addEventListener('message', onMessage);
    socket.send(JSON.stringify({ id, method }));
  });
}
