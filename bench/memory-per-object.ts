import { atMost, count, measured, type Metric, kilobytes, megabytes, plain } from '@/bench/support/figure';
import { inspectable, type Memory, memoryWhenIdle } from '@/bench/support/memory';
import type { BenchEnvironment } from '@/bench/support/environment';

const AIM_BYTES = 7 * 1024;

/** Memory of a cached object: a server with 22,000 objects compared with one that has nothing to show or to record. */
export async function measureMemory(environment: BenchEnvironment): Promise<Metric[]> {
  const empty = await memoryOf(environment, { SHIPLOG_NAMESPACES: 'default' }, 'new');
  const full = await memoryOf(environment, {}, 'filled');
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
    measured('… JavaScript heap alone', perObject('heapBytes'), kilobytes),
    plain(
      'Resident memory: empty, full',
      `${megabytes(empty.residentBytes)}, ${megabytes(full.residentBytes)}`,
    ),
  ];
}

async function memoryOf(
  environment: BenchEnvironment,
  env: Record<string, string>,
  archive: 'filled' | 'new',
): Promise<Memory> {
  const server = await environment.newServer(await environment.seeded(), { ...inspectable, ...env }, archive);
  try {
    return await memoryWhenIdle(server);
  } finally {
    await server.stop();
  }
}
