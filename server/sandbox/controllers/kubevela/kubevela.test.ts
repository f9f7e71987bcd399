import { afterEach, beforeEach, expect, test } from 'vitest';
import { objectsAt, textAt } from '@/lib/workloads/read';
import { pack, unpack } from '@/server/sandbox/controllers/kubevela/compression';
import {
  BOOKING,
  bookingSpec,
  changeBooking,
  createBooking,
  history,
  installKubevela,
  theBooking,
} from '@/server/sandbox/controllers/kubevela/testing/booking';
import { Sandbox } from '@/server/sandbox/controllers/testing/sandbox';

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.start();
});

afterEach(async () => {
  await sandbox.close();
});

async function images(): Promise<string[]> {
  const deployments = await sandbox.list('deployments');
  return deployments
    .filter(({ metadata }) => metadata.name.startsWith('booking'))
    .map(({ spec }) => textAt(objectsAt(spec, 'template', 'spec', 'containers')[0], 'image') ?? '');
}

test('content that was there before brings back its revision, and the next one takes the number after it', async () => {
  await installKubevela(sandbox);
  await createBooking(sandbox, bookingSpec(1));
  for (const version of [2, 3]) await changeBooking(sandbox, bookingSpec(version));
  expect(await history(sandbox)).toEqual(['v1 1', 'v2 2', '*v3 3']);

  await changeBooking(sandbox, bookingSpec(1));
  expect(await history(sandbox)).toEqual(['*v1 1', 'v2 2', 'v3 3']);
  expect(await images()).toEqual(['booking:1', 'booking-mail:1']);

  await changeBooking(sandbox, bookingSpec(4));
  expect(await history(sandbox)).toEqual(['v1 1', '*v2 4', 'v3 3']);
  const { status } = await theBooking(sandbox);
  expect(status).toMatchObject({
    status: 'running',
    latestRevision: { name: 'booking-v2', revision: 2 },
    workflow: { appRevision: 'booking-v2', status: 'succeeded', finished: true },
    services: [{ name: 'booking-api', healthy: true, message: 'Ready:2/2' }, { name: 'booking-mail' }],
  });
});

test('a revision is stored as it is until its workflow has succeeded, and then as KubeVela is installed', async () => {
  await installKubevela(sandbox, '--feature-gates=GzipApplicationRevision=true');
  await createBooking(sandbox, bookingSpec(1));
  await changeBooking(sandbox, bookingSpec('broken'));
  expect(await history(sandbox)).toEqual(['v1 1 gzip', '*v2 broken']);
  const args = ['--feature-gates=ZstdApplicationRevision=true'];
  await sandbox.merge('/apps/v1/namespaces/default/deployments/kubevela-vela-core', {
    spec: { template: { spec: { containers: [{ name: 'vela', image: 'vela-core:2', args }] } } },
  });
  await changeBooking(sandbox, bookingSpec(3));
  expect(await history(sandbox)).toEqual(['v1 1 gzip', 'v2 broken', '*v3 3 zstd']);
  expect((await theBooking(sandbox)).status.workflow?.appRevision).toBe('booking-v3');
});

test.each(['gzip', 'zstd'] as const)('what %s packs comes out again, and shows nothing meanwhile', (type) => {
  const spec = { application: { spec: { components: [] } }, note: 'ä' };
  const packed = pack(spec, type);
  expect(packed.application).toMatchObject({ spec: { components: [] } });
  expect(unpack(packed)).toEqual(spec);
});

test('while its publishVersion stays, what is written to the spec changes nothing', async () => {
  await installKubevela(sandbox);
  await createBooking(sandbox, bookingSpec(1), 'first');
  await changeBooking(sandbox, bookingSpec(2), 'second');
  await changeBooking(sandbox, bookingSpec(3));
  expect(await history(sandbox)).toEqual(['v1 1 first', '*v2 2 second']);
  expect(await images()).toEqual(['booking:2', 'booking-mail:1']);

  // Going back takes another one, and makes another revision of the same content.
  await changeBooking(sandbox, bookingSpec(1), 'third');
  expect(await history(sandbox)).toEqual(['v1 1 first', 'v2 2 second', '*v3 1 third']);
  expect(await images()).toEqual(['booking:1', 'booking-mail:1']);
});

test('so many old revisions stay as the policy says, beside the one in use', async () => {
  await installKubevela(sandbox);
  const policies = [{ name: 'gc', type: 'garbage-collect', properties: { applicationRevisionLimit: 2 } }];
  await createBooking(sandbox, bookingSpec(1, { policies }));
  for (const version of [2, 3, 4]) await changeBooking(sandbox, bookingSpec(version, { policies }));
  expect(await history(sandbox)).toEqual(['v2 2', 'v3 3', '*v4 4']);
});

test('what somebody else makes of its Deployments is taken back, and they go with it', async () => {
  await installKubevela(sandbox);
  await createBooking(sandbox, bookingSpec(1));
  const path = '/apps/v1/namespaces/default/deployments/booking-api';
  await sandbox.patch(path, [
    { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'booking:9' },
  ]);
  await sandbox.rest();
  expect(await images()).toEqual(['booking:1', 'booking-mail:1']);
  await changeBooking(sandbox, { components: bookingSpec(1).components.slice(0, 1) });
  expect(await images()).toEqual(['booking:1']);
  await sandbox.remove(BOOKING);
  await sandbox.rest();
  expect(await images()).toEqual([]);
});
