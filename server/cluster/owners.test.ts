import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { cloneSet } from '@/lib/workloads/kinds/clone-set';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { systemClock } from '@/server/shared/clock';
import { loadCredentials } from '@/server/cluster/credentials';
import { LiveCluster } from '@/server/cluster/live-cluster';
import { DISCOVERY_INTERVAL_MS } from '@/server/cluster/served-resources';
import { createTransport } from '@/server/cluster/transport';
import { silentLogger } from '@/server/shared/log';
import { partialResources } from '@/server/views/partial';
import { Keys } from '@/server/shared/keys';
import { startSandboxApi } from '@/sandbox/api/sandbox-api';
import { cloneSetCrd, customResource } from '@/sandbox/crds/crds';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const revisions = '/apis/apps/v1/namespaces/default/controllerrevisions';
const spec = { replicas: 2, template: { spec: { containers: [{ name: 'app', image: 'app:1' }] } } };

type Send = (method: 'POST' | 'DELETE', path: string, body?: object) => Promise<KubeObject>;

/** `prepare`: creates what exists before the cluster is read. */
async function begin(
  prepare: (send: Send) => Promise<unknown> = () => Promise.resolve(),
  options: { ownerKindsMax?: number } = {},
) {
  const api = await startSandboxApi();
  const directory = mkdtempSync(join(tmpdir(), 'shiplog-owners-'));
  writeFileSync(join(directory, 'kubeconfig'), api.kubeconfig('admin'));
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [join(directory, 'kubeconfig')] });
  const cluster = new LiveCluster({
    credentials,
    readOnly: false,
    namespaces: [],
    kinds: workloadKinds,
    log: silentLogger,
    ...options,
    clock: {
      now: () => Date.now(),
      sleep: (ms, signal) => systemClock.sleep(ms === DISCOVERY_INTERVAL_MS ? 200 : ms, signal),
    },
  });
  const transport = createTransport({ credentials, readOnly: false });
  onTestFinished(async () => {
    await cluster.stop();
    await transport.close();
    await api.stop();
    rmSync(directory, { recursive: true });
  });
  const send: Send = async (method, path, body = {}) =>
    (await transport.json({ method, path, body: JSON.stringify(body) })) as unknown as KubeObject;
  const define = (kind: string, namespaced = true, versions = ['v1']) =>
    send(
      'POST',
      definitions,
      customResource({ group: 'example.com', kind, plural: `${kind.toLowerCase()}s`, versions, namespaced }),
    );
  const record = (owner: KubeObject | null, name: string, revision: number, data: JsonObject = { spec }) =>
    send('POST', revisions, {
      metadata: {
        name,
        // Else it would be deleted with its owner.
        finalizers: ['example.com/keep'],
        ...(owner && {
          ownerReferences: [
            {
              apiVersion: owner.apiVersion,
              kind: owner.kind,
              name: owner.metadata.name,
              uid: owner.metadata.uid,
              controller: true,
            },
          ],
        }),
      },
      revision,
      data,
    });
  const shown = () =>
    [...cluster.cache.workloads()]
      .map((workload) => {
        const state = workload.placeholder?.state ?? 'present';
        const owner = workload.placeholder?.owner?.name ?? workload.name;
        return `${workload.resource} ${workload.namespace} ${owner} ${state}: ${cluster.cache
          .sourcesOf(workload)
          .map(({ name }) => name)
          .sort()
          .join(' ')}`;
      })
      .sort();
  const soon = (check: () => void) => vi.waitFor(check, { timeout: 20_000, interval: 20 });
  await prepare(send);
  cluster.start();
  await soon(() => expect(cluster.ready).toBe(true));
  return { api, cluster, send, define, record, shown, soon };
}

test('an owner of an unknown kind appears with its first revision and pods, and disappears with its definition', async () => {
  const { cluster, send, define, record, shown, soon } = await begin();
  await define('Gadget');
  const path = '/apis/example.com/v1/namespaces/default/gadgets';
  const owner = await send('POST', path, { metadata: { name: 'a' }, spec });
  await send('POST', path, { metadata: { name: 'without-revisions' }, spec });
  await record(owner, 'a-1', 1);
  await soon(() => expect(shown()).toEqual(['gadgets.example.com default a present: a-1']));
  expect(cluster.cache.kindOf('gadgets.example.com')?.resource.kind).toBe('Gadget');

  const told: string[] = [];
  cluster.onChange((keys) => told.push(...keys.map(({ name }) => name)));
  const set = await send('POST', '/apis/apps/v1/namespaces/default/statefulsets', {
    metadata: {
      name: 'part',
      ownerReferences: [
        {
          apiVersion: 'example.com/v1',
          kind: 'Gadget',
          name: 'a',
          uid: owner.metadata.uid,
          controller: true,
        },
      ],
    },
    spec: {
      selector: { matchLabels: { app: 'a' } },
      serviceName: 'a',
      template: { metadata: { labels: { app: 'a' } }, spec: spec.template.spec },
    },
  });
  await send('POST', '/api/v1/namespaces/default/pods', {
    metadata: {
      name: 'part-0',
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'part', uid: set.metadata.uid, controller: true },
      ],
    },
    spec: spec.template.spec,
  });
  const workload = () => {
    const found = cluster.cache.workload('gadgets.example.com', 'default', 'a');
    if (found === undefined) throw new Error('it is not there');
    return found;
  };
  await soon(() => expect(cluster.cache.podsOf(workload()).map(({ name }) => name)).toEqual(['part-0']));
  expect(cluster.cache.childrenOf(workload()).map(({ name }) => name)).toEqual(['part']);
  expect(told).toContain('a');
  expect(shown()).toContain('statefulsets.apps default part present: ');

  await send('DELETE', `${definitions}/gadgets.example.com`);
  await soon(() => expect(shown()[0]).toBe('controllerrevisions.apps default a gone: a-1'));
  expect(cluster.cache.kindOf('gadgets.example.com')).toBeUndefined();
  await define('Gadget');
  const again = await send('POST', path, { metadata: { name: 'a' }, spec });
  await record(again, 'a-2', 1);
  await soon(() =>
    expect(shown().slice(0, 2)).toEqual([
      'controllerrevisions.apps default a gone: a-1',
      'gadgets.example.com default a present: a-2',
    ]),
  );
});

test('a kind of the table keeps its identity, also where its revisions are read before its definition', async () => {
  const sets = '/apis/apps.kruise.io/v1beta1/namespaces/default/clonesets';
  const { cluster, shown, soon } = await begin(async (send) => {
    await send('POST', definitions, cloneSetCrd);
    const owner = await send('POST', sets, { metadata: { name: 'web' }, spec });
    await send('POST', revisions, {
      metadata: {
        name: 'web-1',
        ownerReferences: [
          {
            apiVersion: 'apps.kruise.io/v1beta1',
            kind: 'CloneSet',
            name: 'web',
            uid: owner.metadata.uid,
            controller: true,
          },
        ],
      },
      revision: 1,
      data: { spec },
    });
  });
  await soon(() => expect(shown()).toEqual(['clonesets.apps.kruise.io default web present: web-1']));
  expect(cluster.cache.kindOf('clonesets.apps.kruise.io')).toBe(cloneSet);
});

test('tells apart cluster-scoped owners, owners of an unserved version, and deleted owners', async () => {
  const { send, define, record, shown, soon } = await begin();
  await define('Gadget', false, ['v2']);
  const owner = await send('POST', '/apis/example.com/v2/gadgets', { metadata: { name: 'wide' }, spec });
  await record({ ...owner, apiVersion: 'example.com/v1alpha1' }, 'wide-1', 1);
  const gone = { ...owner, metadata: { ...owner.metadata, uid: 'of-an-earlier-one' } };
  await record(gone, 'wide-0', 1);
  await record(null, 'nobody', 1);
  await soon(() =>
    expect(shown()).toEqual([
      expect.stringMatching(/^controllerrevisions.apps default unowned.\w+ none: nobody$/),
      'controllerrevisions.apps default wide gone: wide-0',
      'gadgets.example.com - wide present: wide-1',
    ]),
  );
});

test('revisions of the table’s own kinds and of unreadable owners remain visible', async () => {
  const { api, cluster, define, record, shown, soon } = await begin();
  const set = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'db', uid: 'long-gone' } };
  await record(set as KubeObject, 'db-1', 1);
  await soon(() => expect(shown()).toEqual(['controllerrevisions.apps default db gone: db-1']));
  const repair = api.faults.add({ kind: 'status', code: 403 }, { resources: ['gadgets.example.com'] });
  await define('Gadget');
  const gadget = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'a', uid: 'hidden' } };
  await record(gadget as KubeObject, 'a-1', 1);
  await soon(() =>
    expect(shown()).toEqual([
      'controllerrevisions.apps default a unreadable: a-1',
      'controllerrevisions.apps default db gone: db-1',
    ]),
  );
  const problem = () =>
    cluster.cache.states().find(({ resource }) => resource === 'gadgets.example.com')?.problem;
  expect(problem()).toContain('gadgets.example.com cannot be read');
  repair();
});

test('each component of an application has a history of its own', async () => {
  const { send, shown, soon } = await begin();
  const group = 'core.oam.dev';
  await send(
    'POST',
    definitions,
    customResource({ group, kind: 'Application', plural: 'applications', versions: ['v1beta1'] }),
  );
  const { apiVersion, kind, metadata } = await send(
    'POST',
    '/apis/core.oam.dev/v1beta1/namespaces/default/applications',
    { metadata: { name: 'site' }, spec: {} },
  );
  const reference = { apiVersion, kind, name: 'site', uid: metadata.uid, controller: true };
  for (const component of ['web', 'db'])
    await send('POST', revisions, {
      metadata: {
        name: `${component}-v1`,
        labels: { 'controller.oam.dev/component': component },
        ownerReferences: [reference],
      },
      revision: 1,
      data: { spec },
    });
  await soon(() =>
    expect(shown()).toEqual([
      'controllerrevisions.apps default site component: db-v1',
      'controllerrevisions.apps default site component: web-v1',
    ]),
  );
});

test('shows the events of an owner, also those from before its kind was discovered', async () => {
  const { cluster, send, define, record, shown, soon } = await begin();
  await define('Gadget');
  const owner = await send('POST', '/apis/example.com/v1/namespaces/default/gadgets', {
    metadata: { name: 'a' },
    spec,
  });
  const happens = (name: string) =>
    send('POST', '/api/v1/namespaces/default/events', {
      metadata: { name },
      type: 'Normal',
      reason: name,
      involvedObject: {
        apiVersion: owner.apiVersion,
        kind: owner.kind,
        namespace: 'default',
        name: 'a',
        uid: owner.metadata.uid,
      },
    });
  const reasons = () => cluster.cache.eventsOf(owner.metadata.uid).map(({ reason }) => reason);
  await happens('before');
  await record(owner, 'a-1', 1);
  await soon(() => expect(shown()).toEqual(['gadgets.example.com default a present: a-1']));
  await happens('after');
  await soon(() => expect(reasons()).toEqual(['before', 'after']));
});

test('names the kinds of owners beyond the limit, and their revisions remain visible', async () => {
  const { cluster, send, define, record, shown, soon } = await begin(undefined, { ownerKindsMax: 1 });
  const owners: KubeObject[] = [];
  for (const kind of ['Gadget', 'Widget']) {
    await define(kind);
    const path = `/apis/example.com/v1/namespaces/default/${kind.toLowerCase()}s`;
    owners.push(await send('POST', path, { metadata: { name: kind.toLowerCase() }, spec }));
  }
  const [gadget, widget] = owners;
  await record(gadget ?? null, 'g-1', 1);
  await soon(() => expect(shown()).toEqual(['gadgets.example.com default gadget present: g-1']));
  const leftOut = () =>
    partialResources(
      { cluster, keys: new Keys(Buffer.alloc(32, 7)) },
      (resource) => resource === 'widgets.example.com',
    );
  expect(leftOut()).toEqual([]);
  await record(widget ?? null, 'w-1', 1);
  await soon(() =>
    expect(shown()).toEqual([
      'controllerrevisions.apps default widget unfollowed: w-1',
      'gadgets.example.com default gadget present: g-1',
    ]),
  );
  expect(leftOut().map(({ reason }) => reason)).toEqual([
    expect.stringMatching(
      /^Shiplog watches at most 1 other kinds that own ControllerRevisions\. Objects of widgets\.example\.com are not read;/,
    ),
  ]);
  await send('DELETE', `${definitions}/gadgets.example.com`);
  await soon(() => expect(shown()).toContain('widgets.example.com default widget present: w-1'));
  expect(leftOut()).toEqual([]);
});
