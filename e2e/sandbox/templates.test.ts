import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import { type ControlPlane } from '@/e2e/controlplane/running-cluster';
import { requireGo } from '@/e2e/controlplane/require-go';
import { type SandboxServerApi, realServer, sandboxServer } from '@/e2e/sandbox/api-server';
import { SPECS, TEMPLATES } from '@/e2e/sandbox/template-cases';
import { semanticText } from '@/lib/diff/normalize';
import { type JsonObject } from '@/lib/kube/json';
import { objectAt } from '@/lib/kube/read';
import { type SandboxApi, startSandboxApi } from '@/sandbox/api/sandbox-api';

let controlPlane: ControlPlane;
let api: SandboxApi;
let servers: SandboxServerApi[];

const template = (spec: JsonObject) => ({ metadata: { labels: { app: 'a' } }, spec });
const [minimal = {}] = Object.values(TEMPLATES);

describe.runIf(await requireGo())('an object is stored with the defaults of the real API server', () => {
  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllers: false });
    api = await startSandboxApi();
    servers = [realServer(controlPlane), sandboxServer(api)];
    await both(
      'namespaces',
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'defaults' } },
      '/api/v1',
    );
  });

  afterAll(async () => {
    await Promise.all(servers?.map((server) => server.close()) ?? []);
    await api?.stop();
    await controlPlane?.stop();
  });

  test.for(Object.entries(TEMPLATES))('template: %s', async ([, spec]) => {
    await compare('Deployment', { template: template(spec) });
  });

  test.for(SPECS)('%s %j', async ([kind, spec]) => {
    await compare(kind, { template: template(minimal), ...spec });
  });
});

async function compare(kind: string, spec: JsonObject): Promise<void> {
  const draft = {
    apiVersion: 'apps/v1',
    kind,
    metadata: { generateName: 'a-', annotations: {}, labels: { a: '' } },
    spec: { selector: { matchLabels: { app: 'a' } }, ...spec },
  };
  const [expected, actual] = await both(`namespaces/defaults/${kind.toLowerCase()}s`, draft, '/apis/apps/v1');
  expect(actual).toEqual(expected);
  const [written, stored] = [draft, expected?.object].map((object) => objectAt(object, 'spec', 'template'));
  expect(semanticText(stored ?? {}), 'means what was written').toBe(semanticText(written ?? {}));
  expect(expected?.code).toBe(201);
}

/** The answers of both to a POST, without what differs in any two clusters. */
async function both(path: string, body: object, root: string) {
  const answers = await Promise.all(
    servers.map((server) => server.call({ method: 'POST', path: `${root}/${path}`, body })),
  );

  return answers.map(({ code, body: object }) => ({
    code,
    object: JSON.parse(JSON.stringify(object), withoutServerSet) as JsonObject,
  }));
}

const SERVER_SET_FIELDS = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'name', 'time']);

function withoutServerSet(this: JsonObject, key: string, value: unknown): unknown {
  return SERVER_SET_FIELDS.has(key) && ('uid' in this || key === 'time') ? '' : value;
}
