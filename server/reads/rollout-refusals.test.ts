import { expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import { kruiseRolloutSystem } from '@/lib/rollout/openkruise/kruise-system';
import { inputOf, line, rolloutObject, statusOf, web } from '@/lib/rollout/openkruise/testing/objects';
import type { RolloutInput } from '@/lib/rollout/system';
import type { AccessQuestion } from '@/server/cluster/access';
import type { ReadContext } from '@/server/views/context';
import { refusalIn, rolloutRefusals } from '@/server/reads/rollout-refusals';
import type { RolloutView } from '@/server/views/rollout-view';
import type { Viewer } from '@/server/shared/viewer';
import { viewerNamed } from '@/server/shared/testing/viewers';

const ana = viewerNamed('ana');
const unknown = { apiVersion: 'example.com/v1', kind: 'GameServer', name: 'checkout' };

async function refusals(
  may: (question: AccessQuestion) => boolean,
  { workload = web, readOnly = false, byName = false } = {},
) {
  const asked: string[] = [];
  const can = (_: Viewer, question: AccessQuestion) => {
    const { verb, resource, subresource = '', namespace = '', name = '' } = question;
    asked.push([verb, resource, subresource, namespace, name].join(' '));
    return Promise.resolve({ allowed: may(question) });
  };
  const input = inputOf(rolloutObject({ workload, status: statusOf(line()) })) as RolloutInput;
  const rollout = kruiseRolloutSystem.derive(input as Parameters<typeof kruiseRolloutSystem.derive>[0]);
  const view = { system: kruiseRolloutSystem, input, rollout } as unknown as RolloutView;
  const context = { cluster: { access: { can } }, config: { readOnly } } as unknown as ReadContext;
  return { refused: await rolloutRefusals(context, ana, view, { byName }), asked };
}

test('checks each right once: the object, its status and the workload', async () => {
  expect((await refusals(() => true)).asked).toEqual([
    'patch rollouts status shop ',
    'patch rollouts  shop ',
    'patch deployments  shop ',
  ]);
  expect((await refusals(() => true, { byName: true })).asked[0]).toBe(
    'patch rollouts status shop checkout-ro',
  );
});

test('a right to the object is none to its status, and one to both none to the workload', async () => {
  const { refused } = await refusals(
    ({ resource, subresource }) => resource === 'rollouts' && subresource === undefined,
  );
  expect(refused).toEqual({
    disable: null,
    enable: null,
    pause: null,
    resume: null,
    approve: 'ana is not allowed to patch rollouts/status in namespace shop.',
    jump: 'ana is not allowed to patch rollouts/status in namespace shop.',
    rollback: 'ana is not allowed to patch deployments in namespace shop.',
  });
});

test('allows nothing on a workload of an unknown kind, and nothing that was not asked for', async () => {
  const { refused } = await refusals(() => true, { workload: unknown });
  expect(refused.rollback).toMatch(/does not know the kind/);
  expect(refusalIn({}, 'approve')).toMatch(/It is unknown whether/);
});

test('a read-only process rejects everything, and an unreachable API server allows nothing', async () => {
  const { refused, asked } = await refusals(() => true, { readOnly: true });
  expect(new Set(Object.values(refused))).toEqual(new Set(['Shiplog is read-only.']));
  expect([Object.keys(refused).length, asked]).toEqual([7, []]);
  const away = () => {
    throw new AppError('cluster_unreachable', 'away');
  };
  const unknowns = Object.values((await refusals(away)).refused);
  expect(new Set(unknowns)).toEqual(new Set(['It is unknown whether you are allowed to do this. away']));
  expect(unknowns).toHaveLength(7);
});
