import { atMost, count, type Figure, kilobytes, plain } from '@/bench/figure';
import { inspectable, type Memory, memoryAtRest } from '@/bench/memory';
import { type Stage } from '@/bench/stage';

const AIM_BYTES = 4 * 1024;

/** What a cached object weighs: a server that sees 22,000 objects against one that looks where nothing is. */
export async function measureMemory(stage: Stage): Promise<Figure[]> {
  const empty = await memoryOf(stage, { SHIPLOG_NAMESPACES: 'default' });
  const full = await memoryOf(stage, {});
  const objects = full.objects - empty.objects;
  const perObject = (part: 'residentBytes' | 'heapBytes') => (full[part] - empty[part]) / objects;
  return [
    atMost(
      'Memory per cached object, over the empty server',
      perObject('residentBytes'),
      AIM_BYTES,
      kilobytes,
    ),
    plain('Objects in the cache', count(objects)),
    plain('JavaScript heap per object', kilobytes(perObject('heapBytes'))),
    plain(
      'Resident memory: empty, full',
      `${megabytes(empty.residentBytes)}, ${megabytes(full.residentBytes)}`,
    ),
  ];
}

async function memoryOf(stage: Stage, env: Record<string, string>): Promise<Memory> {
  const server = await stage.newServer(await stage.seeded(), { ...inspectable, ...env });
  try {
    return await memoryAtRest(server);
  } finally {
    await server.stop();
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(0)} MB`;
}
