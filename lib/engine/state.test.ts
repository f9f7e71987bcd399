import { describe, expect, test } from 'vitest';
import { deployment } from '@/lib/workloads/kinds/deployment';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { parseWorkload, object } from '@/lib/workloads/testing/objects';
import { deriveStatus } from '@/lib/messages/workload-status';

const edited = '2026-08-01T12:00:00Z';
const after = (ms: number) => new Date(Date.parse(edited) + ms).toISOString();

describe.each(workloadKinds.map((kind) => [kind.resource.kind, kind] as const))('a %s', (name, kind) => {
  const made = object(name, { created: -60, generation: 2 }, { spec: {}, status: { observedGeneration: 1 } });
  const workload = { ...parseWorkload(kind, made), editedAt: edited };
  const statusAt = (now: string) => {
    const input = { workload, sources: [], orphans: [], pods: [] };
    return deriveStatus(kind.facts({ ...input, history: kind.history(input), now }));
  };

  test('that no controller has observed is in progress for 30 s after the edit, and unknown from then on', () => {
    expect(statusAt(after(29_999))).toMatchObject({
      state: 'rolling',
      message: 'waiting for the controller to observe the last change',
      since: edited,
      unobserved: true,
    });
    expect(statusAt(after(30_000))).toMatchObject({
      state: 'unknown',
      message: 'the controller has not observed the last change',
      unobserved: true,
    });
  });
});

test('without managedFields the 30 s begin with the creation, and without a clock nothing times out', () => {
  const { editedAt: _none, ...workload } = parseWorkload(
    deployment,
    object('Deployment', { created: 0, generation: 1 }, {}),
  );
  const stateAt = (now?: string) => {
    const input = { workload, sources: [], orphans: [], pods: [], now };
    return deriveStatus(deployment.facts({ ...input, history: deployment.history(input) })).state;
  };
  expect(stateAt(after(29_999))).toBe('rolling');
  expect(stateAt(after(30_000))).toBe('unknown');
  expect(stateAt()).toBe('unknown');
});
