import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { objectsAt, textAt } from '@/lib/kube/read';
import {
  type Application,
  type ApplicationRevision,
  type ApplicationSpec,
  PUBLISH_VERSION,
  specIn,
} from '@/sandbox/controllers/kubevela/revisions';
import { TestSandbox } from '@/sandbox/controllers/testing/test-sandbox';
import { kubevelaCrds } from '@/sandbox/crds/crds';

let sandbox: TestSandbox;

beforeEach(async () => {
  sandbox = await TestSandbox.start();
  await sandbox.define(...kubevelaCrds);
});
afterEach(() => sandbox.close());

const BOOKING = '/core.oam.dev/v1beta1/namespaces/default/applications/booking';

async function installKubevela(...args: string[]): Promise<void> {
  const labels = { 'app.kubernetes.io/name': 'vela-core' };
  await sandbox.create({
    kind: 'Deployment',
    metadata: { name: 'kubevela-vela-core', labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'vela', image: 'vela-core:1', args }] },
      },
    },
  });
}

/** An API in the version named, with a worker. */
function bookingSpec(version: number | string, more: JsonObject = {}): ApplicationSpec {
  return {
    components: [
      {
        name: 'booking-api',
        type: 'webservice',
        properties: { image: `booking:${version}`, ports: [{ port: 8080, expose: true }] },
        traits: [{ type: 'scaler', properties: { replicas: 2 } }],
      },
      { name: 'booking-mail', type: 'worker', properties: { image: 'booking-mail:1' } },
    ],
    ...more,
  };
}

async function createBooking(spec: JsonObject, published?: string): Promise<void> {
  const annotations = published === undefined ? {} : { [PUBLISH_VERSION]: published };
  await sandbox.create({
    apiVersion: 'core.oam.dev/v1beta1',
    kind: 'Application',
    metadata: { name: 'booking', annotations },
    spec,
  });
  await sandbox.untilIdle();
}

async function changeBooking(spec: JsonObject, published?: string): Promise<void> {
  const patch: JsonObject = { spec };
  if (published !== undefined) patch.metadata = { annotations: { [PUBLISH_VERSION]: published } };
  await sandbox.merge(BOOKING, patch);
  await sandbox.untilIdle();
}

async function theBooking(): Promise<Application> {
  const [app] = await sandbox.list('applications', '/apis/core.oam.dev/v1beta1');
  if (app === undefined) throw new Error('there is no Application');
  return app as Application;
}

/** Each revision by name: `name image compression publishVersion`, the current one with a star. */
async function revisionHistory(): Promise<string[]> {
  const { status } = await theBooking();
  const revisions = await sandbox.list('applicationrevisions', '/apis/core.oam.dev/v1beta1');
  return (revisions as ApplicationRevision[]).map((revision) => {
    const { name, annotations } = revision.metadata;
    const image = textAt(specIn(revision).components[0]?.properties, 'image') ?? '';
    const mark = status.latestRevision?.name === name ? '*' : '';
    return [
      `${mark}${name.replace('booking-', '')}`,
      image.replace('booking:', ''),
      revision.spec.compression?.type,
      annotations?.[PUBLISH_VERSION],
    ]
      .filter(Boolean)
      .join(' ');
  });
}

async function images(): Promise<string[]> {
  const deployments = await sandbox.list('deployments');
  return deployments
    .filter(({ metadata }) => metadata.name.startsWith('booking'))
    .map(({ spec }) => textAt(objectsAt(spec, 'template', 'spec', 'containers')[0], 'image') ?? '');
}

test('content of an earlier revision reuses it, and the next revision takes the number after it', async () => {
  await createBooking(bookingSpec(1));
  for (const version of [2, 3]) await changeBooking(bookingSpec(version));
  expect(await revisionHistory()).toEqual(['v1 1', 'v2 2', '*v3 3']);

  await changeBooking(bookingSpec(1));
  expect(await revisionHistory()).toEqual(['*v1 1', 'v2 2', 'v3 3']);
  expect(await images()).toEqual(['booking:1', 'booking-mail:1']);

  await changeBooking(bookingSpec(4));
  expect(await revisionHistory()).toEqual(['v1 1', '*v2 4', 'v3 3']);
  const { status } = await theBooking();
  expect(status).toMatchObject({
    status: 'running',
    latestRevision: { name: 'booking-v2', revision: 2 },
    workflow: { appRevision: 'booking-v2', status: 'succeeded', finished: true },
    services: [{ name: 'booking-api', healthy: true, message: 'Ready:2/2' }, { name: 'booking-mail' }],
  });
});

test('a revision is compressed as KubeVela is configured once its workflow has succeeded, and not before', async () => {
  await installKubevela('--feature-gates=GzipApplicationRevision=true');
  await createBooking(bookingSpec(1));
  await changeBooking(bookingSpec('broken'));
  expect(await revisionHistory()).toEqual(['v1 1 gzip', '*v2 broken']);
  const args = ['--feature-gates=ZstdApplicationRevision=true'];
  await sandbox.merge('/apps/v1/namespaces/default/deployments/kubevela-vela-core', {
    spec: { template: { spec: { containers: [{ name: 'vela', image: 'vela-core:2', args }] } } },
  });
  await changeBooking(bookingSpec(3));
  expect(await revisionHistory()).toEqual(['v1 1 gzip', 'v2 broken', '*v3 3 zstd']);
  expect((await theBooking()).status.workflow?.appRevision).toBe('booking-v3');
});

test('while its publishVersion stays, changes of the spec have no effect', async () => {
  await createBooking(bookingSpec(1), 'first');
  await changeBooking(bookingSpec(2), 'second');
  await changeBooking(bookingSpec(3));
  expect(await revisionHistory()).toEqual(['v1 1 first', '*v2 2 second']);
  expect(await images()).toEqual(['booking:2', 'booking-mail:1']);

  // A rollback sets another one, and creates another revision of the same content.
  await changeBooking(bookingSpec(1), 'third');
  expect(await revisionHistory()).toEqual(['v1 1 first', 'v2 2 second', '*v3 1 third']);
  expect(await images()).toEqual(['booking:1', 'booking-mail:1']);
});

test('as many old revisions stay as the policy sets, besides the current one', async () => {
  const policies = [{ name: 'gc', type: 'garbage-collect', properties: { applicationRevisionLimit: 2 } }];
  await createBooking(bookingSpec(1, { policies }));
  for (const version of [2, 3, 4]) await changeBooking(bookingSpec(version, { policies }));
  expect(await revisionHistory()).toEqual(['v2 2', 'v3 3', '*v4 4']);
});

test('changes of others to its Deployments are reverted, and the Deployments are deleted with it', async () => {
  await createBooking(bookingSpec(1));
  const path = '/apps/v1/namespaces/default/deployments/booking-api';
  await sandbox.patch(path, [
    { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'booking:9' },
  ]);
  await sandbox.untilIdle();
  expect(await images()).toEqual(['booking:1', 'booking-mail:1']);
  await changeBooking({ components: bookingSpec(1).components.slice(0, 1) });
  expect(await images()).toEqual(['booking:1']);
  await sandbox.remove(BOOKING);
  await sandbox.untilIdle();
  expect(await images()).toEqual([]);
});
