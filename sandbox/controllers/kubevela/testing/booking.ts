import { type JsonObject } from '@/lib/kube/json';
import { textAt } from '@/lib/kube/read';
import {
  type Application,
  type ApplicationRevision,
  type ApplicationSpec,
  PUBLISH_VERSION,
} from '@/sandbox/controllers/kubevela/application';
import { specIn } from '@/sandbox/controllers/kubevela/revisions';
import { type TestSandbox } from '@/sandbox/controllers/testing/test-sandbox';
import { kubevelaCrds } from '@/sandbox/crds/crds';

const OAM = '/core.oam.dev/v1beta1/namespaces/default';
export const BOOKING = `${OAM}/applications/booking`;

export async function installKubevela(sandbox: TestSandbox, ...args: readonly string[]): Promise<void> {
  await sandbox.define(...kubevelaCrds);
  const labels = { 'app.kubernetes.io/name': 'vela-core' };
  await sandbox.create({
    kind: 'Deployment',
    metadata: { name: 'kubevela-vela-core', labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'vela', image: 'vela-core:1', args: [...args] }] },
      },
    },
  });
}

/** An API in the version named, with a worker. */
export function bookingSpec(version: number | string, more: JsonObject = {}): ApplicationSpec {
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

export async function createBooking(
  sandbox: TestSandbox,
  spec: JsonObject,
  published?: string,
): Promise<void> {
  const annotations = published === undefined ? {} : { [PUBLISH_VERSION]: published };
  await sandbox.create({
    apiVersion: 'core.oam.dev/v1beta1',
    kind: 'Application',
    metadata: { name: 'booking', annotations },
    spec,
  });
  await sandbox.untilIdle();
}

export async function changeBooking(
  sandbox: TestSandbox,
  spec: JsonObject,
  published?: string,
): Promise<void> {
  await sandbox.merge(BOOKING, {
    spec,
    ...(published !== undefined && { metadata: { annotations: { [PUBLISH_VERSION]: published } } }),
  });
  await sandbox.untilIdle();
}

export async function theBooking(sandbox: TestSandbox): Promise<Application> {
  const [app] = await sandbox.list('applications', '/apis/core.oam.dev/v1beta1');
  if (app === undefined) throw new Error('there is no Application');
  return app as Application;
}

/** Each revision by name: `name image compression publishVersion`, the current one with a star. */
export async function revisionHistory(sandbox: TestSandbox): Promise<string[]> {
  const { status } = await theBooking(sandbox);
  const revisions = (await sandbox.list(
    'applicationrevisions',
    '/apis/core.oam.dev/v1beta1',
  )) as ApplicationRevision[];
  return revisions.map((revision) => {
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
