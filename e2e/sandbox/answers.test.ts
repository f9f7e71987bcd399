import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { requireGo } from '@/e2e/controlplane/require-go';
import { ANSWER_CASES, type AnswerCase } from '@/e2e/sandbox/answer-cases';
import { type RawServer, realServer, sandboxServer } from '@/e2e/sandbox/api-server';
import { SPECS, TEMPLATES } from '@/e2e/sandbox/template-cases';
import { semanticText } from '@/lib/diff/normalize';
import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import { objectAt } from '@/lib/kube/read';
import { type SandboxApi, startSandboxApi } from '@/sandbox/api/sandbox-api';

let controlPlane: ControlPlane;
let api: SandboxApi;
let servers: { server: RawServer; marks: Map<string, string> }[];

describe.runIf(await requireGo())('the sandbox answers like the real API server', () => {
  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllers: false });
    api = await startSandboxApi();
    servers = [realServer(controlPlane), sandboxServer(api)].map((server) => ({ server, marks: new Map() }));
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'asks' } };
    for (const { server } of servers)
      await server.call({ method: 'POST', path: '/api/v1/namespaces', body: namespace });
  });

  afterAll(async () => {
    await Promise.all(servers?.map(({ server }) => server.close()) ?? []);
    await api?.stop();
    await controlPlane?.stop();
  });

  test.for(Object.entries(ANSWER_CASES))('%s', async ([, asks]) => {
    const [expected, actual] = await Promise.all(
      servers.map(async ({ server, marks }) => {
        const answers = [];
        for (const ask of asks) answers.push(await answerOf(server, marks, ask));
        return answers;
      }),
    );
    expect(actual).toEqual(expected);
  });

  test.for(Object.entries(TEMPLATES))('with the defaults of a template: %s', ([, spec]) =>
    compareStored('Deployment', { template: template(spec) }),
  );
  test.for(SPECS)('with the defaults of %s %j', ([kind, spec]) =>
    compareStored(kind, { template: template(Object.values(TEMPLATES)[0] ?? {}), ...spec }),
  );
});

function template(spec: JsonObject): JsonObject {
  return { metadata: { labels: { app: 'a' } }, spec };
}

/** Both store an object with the same defaults, and the template means what was written. */
async function compareStored(kind: string, spec: JsonObject): Promise<void> {
  const draft = {
    apiVersion: 'apps/v1',
    kind,
    metadata: { generateName: 'a-', annotations: {}, labels: { a: '' } },
    spec: { selector: { matchLabels: { app: 'a' } }, ...spec },
  };
  const path = `/apis/apps/v1/namespaces/asks/${kind.toLowerCase()}s`;
  const [expected, actual] = await Promise.all(
    servers.map(async ({ server }) => {
      const { code, body } = await server.call({ method: 'POST', path, body: draft });
      const { name: _name, ...metadata } = objectAt(body, 'metadata') ?? {};
      return { code, body: JSON.parse(masked({ ...body, metadata })) as JsonObject };
    }),
  );
  expect(actual).toEqual(expected);
  const [written, stored] = [draft, expected?.body].map((object) => objectAt(object, 'spec', 'template'));
  expect(semanticText(stored ?? {}), 'means what was written').toBe(semanticText(written ?? {}));
  expect(expected?.code).toBe(201);
}

async function answerOf(server: RawServer, marks: Map<string, string>, ask: AnswerCase) {
  const call: Exclude<AnswerCase, string> = typeof ask === 'string' ? { method: 'GET', path: ask } : ask;
  const path = call.path.replace(/\$[A-Z]+/g, (mark) => encodeURIComponent(marks.get(mark) ?? ''));
  const { code, warnings, body } = await server.call({ ...call, path });
  const { resourceVersion, continue: token } = (body.metadata ?? {}) as Record<string, string | undefined>;
  if (resourceVersion !== undefined && body.items !== undefined && !marks.has('$RV'))
    marks.set('$RV', resourceVersion);
  if (token !== undefined) marks.set('$CONTINUE', token);
  return call.codeOnly === true
    ? { ask, code }
    : { ask, code, warnings, body: JSON.parse(masked(body)) as JsonObject };
}

const SERVER_SET_FIELDS = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'time',
  'continue',
]);

function masked(body: JsonObject): string {
  const text = JSON.stringify(body, (key, value: unknown) =>
    SERVER_SET_FIELDS.has(key) && typeof value === 'string'
      ? ''
      : key === 'managedFields' || isConflict(value)
        ? inNoOrder(value)
        : value,
  );
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uid>')
    .replaceAll(/(resource version: )\d+( \(\d+\)|, current: \d+)?/g, '$1<version>');
}

/** The causes of a conflict, which are in the order of a map in Go. */
function isConflict(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.some((cause) => isJsonObject(cause) && cause.reason === 'FieldManagerConflict')
  );
}

/** Managers are ordered by time, and a second may end in one cluster earlier than in the other. */
function inNoOrder(entries: unknown): unknown {
  const textOf = ({ manager, operation, subresource, message, field }: JsonObject) =>
    JSON.stringify([manager, operation, subresource, message, field]);
  return Array.isArray(entries)
    ? entries.toSorted((a: JsonObject, b: JsonObject) => textOf(a).localeCompare(textOf(b)))
    : entries;
}
