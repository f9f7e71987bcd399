import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '@/server/shared/clock';
import { loadCredentials } from '@/server/cluster/credentials';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';
import { createTransport } from '@/server/cluster/transport';
import { silentLogger } from '@/server/shared/log';
import { ConfigObjects } from '@/server/recorder/config-objects';
import { configMap, MERGE_PATCH, TestApi } from '@/sandbox/api/testing/api-client';

const MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';
const template = {
  spec: {
    containers: [{ name: 'app', envFrom: [{ configMapRef: { name: 'a' } }, { secretRef: { name: 's' } }] }],
    volumes: [{ name: 'v', configMap: { name: 'not-there' } }],
  },
};
const workload = { namespace: 'default', bodyId: 'b' };

async function follow() {
  const api = await TestApi.start();
  const folder = makeFolder();
  const file = join(folder.path, 'kubeconfig');
  writeFileSync(file, api.api.kubeconfig('seeder'));
  const transport = createTransport({
    credentials: loadCredentials({ kind: 'kubeconfig', files: [file] }),
    readOnly: true,
  });
  const bodies: string[] = [];
  const objects = new ConfigObjects({
    transport: {
      server: transport.server,
      text: async (request) => {
        const text = await transport.text(request);
        bodies.push(text);
        return text;
      },
      stream: (request) => transport.stream(request),
    },
    namespaces: [],
    templateOf: () => template,
    log: silentLogger,
    clock: systemClock,
  });
  onTestFinished(async () => {
    await objects.stop();
    await transport.close();
    folder.remove();
  });
  const seen = () => objects.changesFor(workload).map(({ message }) => message);
  return { api, objects, seen, bodies };
}

test('reports when each ConfigMap and Secret that the template names last changed, and no other', async () => {
  const { api, objects, seen } = await follow();
  await api.post(MAPS, configMap('a', { x: '0' }));
  await api.post(MAPS, configMap('other'));
  objects.start();
  await vi.waitFor(() => expect(seen()).toEqual([expect.stringMatching(/^ConfigMap a, .* was created by /)]));

  const { body } = await api.patch(`${MAPS}/a`, { data: { x: '1' } }, MERGE_PATCH, {
    headers: { 'user-agent': 'kubectl-edit/v1' },
  });
  await api.delete(`${MAPS}/other`);
  await vi.waitFor(() => {
    const [change] = objects.changesFor(workload);
    const fields = (body.metadata as { managedFields: { time: string }[] }).managedFields;
    expect(change?.at).toBe(
      fields
        .map(({ time }) => time)
        .sort()
        .at(-1),
    );
  });
  await api.delete(`${MAPS}/a`);
  await vi.waitFor(() => expect(seen()).toEqual(['ConfigMap a, which the template names, was deleted']));
});

test('never reads the content of a Secret', async () => {
  const { api, objects, seen, bodies } = await follow();
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { p: 'aHVudGVyMg==' } };
  await api.post(SECRETS, secret);
  objects.start();
  await vi.waitFor(() => expect(seen()).toHaveLength(1));

  expect(bodies.join('')).toContain('"name":"s"');
  expect(bodies.join('')).not.toContain('aHVudGVyMg');
});
