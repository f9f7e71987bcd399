import { untilIdle } from '@/bench/support/processor-time';
import type { Shiplog } from '@/e2e/support/shiplog';

export interface Memory {
  residentBytes: number;
  heapBytes: number;
  /** Workloads, ReplicaSets, ControllerRevisions, pods and events. */
  objects: number;
}

/** Environment of a server whose garbage can be collected from outside. */
export const inspectable = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

const POLL_MS = 1_000;
/** The engine returns memory over some seconds; after this many equal samples in a row it is done. */
const STABLE_SAMPLES = 5;
const SAMPLES_MAX = 60;

/** Memory of a server of {@link inspectable} that is idle and has no garbage. */
export async function memoryWhenIdle(server: Shiplog): Promise<Memory> {
  await untilIdle(server.pid);
  await collectGarbage(server);
  let last = await readMemory(server);
  for (let same = 0, samples = 0; same < STABLE_SAMPLES && samples < SAMPLES_MAX; samples += 1) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const now = await readMemory(server);
    const isSame = Math.abs(now.residentBytes - last.residentBytes) < last.residentBytes / 100;
    same = isSame ? same + 1 : 0;
    last = now;
  }
  await collectGarbage(server);
  return readMemory(server);
}

async function readMemory(server: Shiplog): Promise<Memory> {
  const text = await (await server.fetch('/metrics')).text();
  /** The sum over all clusters. */
  const read = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
      (sum, [, value]) => sum + Number(value),
      0,
    );
  const cached = ['workloads', 'sources', 'pods', 'events'].map((part) => read(`shiplog_cache_${part}`));
  return {
    residentBytes: read('process_resident_memory_bytes'),
    heapBytes: read('nodejs_heap_size_used_bytes'),
    objects: cached.reduce((sum, part) => sum + part, 0),
  };
}

function collectGarbage(server: Shiplog): Promise<void> {
  return inspect(server, 'HeapProfiler.collectGarbage');
}

/** What follows does not pay for the garbage of what was before; the engine keeps its compiled code. */
export function startWithoutGarbage(server: Shiplog): Promise<void> {
  return inspect(server, 'Runtime.evaluate', { expression: COLLECT_ONCE });
}

const COLLECT_ONCE = `
  process.getBuiltinModule('v8').setFlagsFromString('--expose-gc');
  process.getBuiltinModule('v8').setFlagsFromString('--no-flush-bytecode');
  (globalThis.collectOnce ??= process.getBuiltinModule('vm').runInNewContext('gc'))();
`;

async function inspect(server: Shiplog, method: string, params: object = {}): Promise<void> {
  const address = /Debugger listening on (ws:\S+)/.exec(server.log())?.[1];
  if (address === undefined) throw new Error('The server was not started with an inspector.');
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.addEventListener('error', () => reject(new Error(`No inspector answers at ${address}.`)));
    socket.addEventListener('message', resolve);
    socket.addEventListener('open', () => socket.send(JSON.stringify({ id: 1, method, params })));
  });
  socket.close();
}
