import { expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import { openKruise } from '@/lib/rollout/openkruise/open-kruise';
import { inputOf, line, rolloutObject, statusOf, web } from '@/lib/rollout/openkruise/testing/objects';
import { type RolloutInput } from '@/lib/rollout/system';
import { type AccessQuestion } from '@/server/cluster/access';
import { type ReadContext } from '@/server/reads/context';
import { rolloutRefusals } from '@/server/reads/rollout-refusals';
import { type RolloutView } from '@/server/reads/rollout-view';
import { type Viewer } from '@/server/viewer';

const ana: Viewer = { id: 'ana', name: 'ana', isProcess: false };
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
  const rollout = openKruise.derive(input as Parameters<typeof openKruise.derive>[0]);
  const view = { system: openKruise, input, rollout } as unknown as RolloutView;
  const context = { cluster: { access: { can } }, config: { readOnly } } as unknown as ReadContext;
  return { refused: await rolloutRefusals(context, ana, view, { byName }), asked };
}

test('each right is asked for once: the object, its status and the workload', async () => {
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
    approve: 'ana may not patch rollouts/status in namespace shop.',
    jump: 'ana may not patch rollouts/status in namespace shop.',
    rollback: 'ana may not patch deployments in namespace shop.',
  });
});

test('a workload of an unknown kind is asked no right for', async () => {
  expect((await refusals(() => false, { workload: unknown })).refused).not.toHaveProperty('rollback');
});

test('a process that only reads refuses everything, and an API server that is away nothing', async () => {
  const { refused, asked } = await refusals(() => true, { readOnly: true });
  expect(new Set(Object.values(refused))).toEqual(new Set(['Shiplog runs read-only.']));
  expect([Object.keys(refused).length, asked]).toEqual([7, []]);
  const away = () => {
    throw new AppError('cluster_unreachable', 'away');
  };
  expect((await refusals(away)).refused).toEqual({});
});
