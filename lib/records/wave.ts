import type { RecordedStep } from '@/lib/api/record';

/** The wave that begins after these steps, with no pods so far. */
export function createWave(steps: readonly RecordedStep[], startedAt: string | null): RecordedStep {
  const index = steps.length + 1;
  return {
    index,
    name: `Wave ${index}`,
    kind: 'wave',
    planned: null,
    startedAt,
    endedAt: null,
    state: 'running',
    pods: [],
    removed: [],
  };
}
