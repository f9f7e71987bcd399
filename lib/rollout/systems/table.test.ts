import { expect, test } from 'vitest';
import { rolloutActionNames } from '@/lib/api/action-values';
import type { RolloutInput } from '@/lib/rollout/system';
import { rolloutSystems } from '@/lib/rollout/systems/table';
import { at, object } from '@/lib/workloads/testing/objects';

test.each(rolloutSystems.map((system) => [system.id, system] as const))(
  'rollouts of %s offer the actions of their own system, and plan no other',
  (_, system) => {
    const input: RolloutInput = {
      object: system.parse(object(system.resource.kind, { owner: null })),
      workload: { state: 'unknown' },
      auxiliaries: [],
      relatedObjects: [],
      now: at(1),
    };
    const offered = system.derive(input).actions.map(({ name }) => name);
    expect(new Set(offered).size).toBe(offered.length);
    const planned = rolloutActionNames.filter(
      (action) => system.plan(input, { action, step: 1 }).kind !== 'refused',
    );
    expect(planned.filter((name) => !offered.includes(name))).toEqual([]);
    const own: Record<string, string> = {
      openkruise: 'approve,jump,pause,resume,disable,enable,rollback',
      argo: 'approve,promoteFull,pause,resume,abort,retry,restart,rollback',
      flagger: 'approve,rollback',
      oam: 'approve,pause,resume,rollback,delete',
      'oam-approllout': 'approve,pause,resume,rollback,delete',
      'oam-applicationdeployment': 'approve,pause,resume,rollback,delete',
      'oam-appdeployment': 'approve,pause,resume,rollback,delete',
      'oam-rollouttrait': 'approve,pause,resume,rollback,delete',
    };
    expect(offered.join()).toBe(own[system.id]);
  },
);
