import { afterEach, beforeEach, expect, test } from 'vitest';
import { objectsAt, textAt } from '@/lib/kube/read';
import { pack, unpack } from '@/sandbox/controllers/kubevela/compression';
import {
  BOOKING,
  bookingSpec,
  changeBooking,
  createBooking,
  revisionHistory,
  installKubevela,
  theBooking,
} from '@/sandbox/controllers/kubevela/testing/booking';
import { TestSandbox } from '@/sandbox/controllers/testing/test-sandbox';

let sandbox: TestSandbox;

beforeEach(async () => {
  sandbox = await TestSandbox.start();
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

test('content of an earlier revision reuses it, and the next revision takes the number after it', async () => {
  await installKubevela(sandbox);
  await createBooking(sandbox, bookingSpec(1));
  for (const version of [2, 3]) await changeBooking(sandbox, bookingSpec(version));
  expect(await revisionHistory(sandbox)).toEqual(['v1 1', 'v2 2', '*v3 3']);

  await changeBooking(sandbox, bookingSpec(1));
  expect(await revisionHistory(sandbox)).toEqual(['*v1 1', 'v2 2', 'v3 3']);
  expect(await images()).toEqual(['booking:1', 'booking-mail:1']);

  await changeBooking(sandbox, bookingSpec(4));
  expect(await revisionHistory(sandbox)).toEqual(['v1 1', '*v2 4', 'v3 3']);
  const { status } = await theBooking(sandbox);
  expect(status).toMatchObject({
    status: 'running',
    latestRevision: { name: 'booking-v2', revision: 2 },
    workflow: { appRevision: 'booking-v2', status: 'succeeded', finished: true },
    services: [{ name: 'booking-api', healthy: true, message: 'Ready:2/2' }, { name: 'booking-mail' }],
  });
});

test('a revision is compressed as KubeVela is configured once its workflow has succeeded, and not before', async () => {
  await installKubevela(sandbox, '--feature-gates=GzipApplicationRevision=true');
  await createBooking(sandbox, bookingSpec(1));
  await changeBooking(sandbox, bookingSpec('broken'));
  expect(await revisionHistory(sandbox)).toEqual(['v1 1 gzip', '*v2 broken']);
  const args = ['--feature-gates=ZstdApplicationRevision=true'];
  await sandbox.merge('/apps/v1/namespaces/default/deployments/kubevela-vela-core', {
    spec: { template: { spec: { containers: [{ name: 'vela', image: 'vela-core:2', args }] } } },
  });
  await changeBooking(sandbox, bookingSpec(3));
  expect(await revisionHistory(sandbox)).toEqual(['v1 1 gzip', 'v2 broken', '*v3 3 zstd']);
  expect((await theBooking(sandbox)).status.workflow?.appRevision).toBe('booking-v3');
});

test.each(['gzip', 'zstd'] as const)(
  'what %s compresses can be decompressed, and is unreadable meanwhile',
  (type) => {
    const spec = { application: { spec: { components: [] } }, note: 'ä' };
    const packed = pack(spec, type);
    expect(packed.application).toMatchObject({ spec: { components: [] } });
    expect(unpack(packed)).toEqual(spec);
  },
);

test('while its publishVersion stays, changes of the spec have no effect', async () => {
  await installKubevela(sandbox);
  await createBooking(sandbox, bookingSpec(1), 'first');
  await changeBooking(sandbox, bookingSpec(2), 'second');
  await changeBooking(sandbox, bookingSpec(3));
  expect(await revisionHistory(sandbox)).toEqual(['v1 1 first', '*v2 2 second']);
  expect(await images()).toEqual(['booking:2', 'booking-mail:1']);

  // A rollback sets another one, and creates another revision of the same content.
  await changeBooking(sandbox, bookingSpec(1), 'third');
  expect(await revisionHistory(sandbox)).toEqual(['v1 1 first', 'v2 2 second', '*v3 1 third']);
  expect(await images()).toEqual(['booking:1', 'booking-mail:1']);
});

test('as many old revisions stay as the policy sets, besides the current one', async () => {
  await installKubevela(sandbox);
  const policies = [{ name: 'gc', type: 'garbage-collect', properties: { applicationRevisionLimit: 2 } }];
  await createBooking(sandbox, bookingSpec(1, { policies }));
  for (const version of [2, 3, 4]) await changeBooking(sandbox, bookingSpec(version, { policies }));
  expect(await revisionHistory(sandbox)).toEqual(['v2 2', 'v3 3', '*v4 4']);
});

test('changes of others to its Deployments are reverted, and the Deployments are deleted with it', async () => {
  await installKubevela(sandbox);
  await createBooking(sandbox, bookingSpec(1));
  const path = '/apps/v1/namespaces/default/deployments/booking-api';
  await sandbox.patch(path, [
    { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'booking:9' },
  ]);
  await sandbox.untilIdle();
  expect(await images()).toEqual(['booking:1', 'booking-mail:1']);
  await changeBooking(sandbox, { components: bookingSpec(1).components.slice(0, 1) });
  expect(await images()).toEqual(['booking:1']);
  await sandbox.remove(BOOKING);
  await sandbox.untilIdle();
  expect(await images()).toEqual([]);
});
