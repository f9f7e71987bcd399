import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { waitFor } from '@/e2e/controlplane/wait';
import { npmStart, type Started } from '@/e2e/support/npm-start';
import { freePort } from '@/e2e/controlplane/ports';

const home = mkdtempSync(join(tmpdir(), 'shiplog-home-'));
let cluster: ControlPlane;
const running: Started[] = [];

function start(env: Record<string, string>): Started {
  const started = npmStart({ HOME: home, ...env });
  running.push(started);
  return started;
}

beforeAll(async () => {
  cluster = await startControlPlane();
});

afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
});

afterAll(async () => {
  await cluster?.stop();
  rmSync(home, { recursive: true, force: true });
});

describe('npm start', () => {
  it('serves the cluster of the kubeconfig, prints its address and ends with a stream open', async () => {
    const port = await freePort();
    const dataDir = join(home, 'data');
    const { child, output, ended } = start({
      PORT: String(port),
      KUBECONFIG: cluster.kubeconfigs.admin,
      SHIPLOG_DATA_DIR: dataDir,
      HOSTNAME: 'a-container',
    });
    await waitFor(() => output().includes(`Shiplog is at http://127.0.0.1:${port}`), {
      what: 'the address is printed',
      timeoutMs: 90_000,
      detail: output,
    });
    const url = `http://127.0.0.1:${port}`;
    const [, key = ''] = /#key=(\S+)/.exec(output()) ?? [];
    const headers = { authorization: `Bearer ${key}` };
    expect((await fetch(`${url}/api/cluster`)).status).toBe(401);
    const info = (await (await fetch(`${url}/api/cluster`, { headers })).json()) as {
      viewer: { name: string };
    };
    expect(info).toMatchObject({ name: 'admin', readOnly: false });
    expect(await (await fetch(url)).text()).toContain('Shiplog');
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(statSync(join(dataDir, 'local-key')).mode & 0o777).toBe(0o600);
    const stream = await fetch(`${url}/api/stream`, { headers });
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    await stream.body?.cancel().catch(() => undefined);
  });

  it('lists every error of the configuration at once', async () => {
    const { output, ended } = start({ KUBECONFIG: '/no/such/file', PORT: 'many', SHIPLOG_HOST: '0.0.0.0' });
    expect(await ended).toBe(1);
    for (const name of ['KUBECONFIG', 'PORT', 'SHIPLOG_HOST']) expect(output()).toContain(`- ${name}`);
  });

  it('reports that its port is in use before it builds anything', async () => {
    const port = await freePort();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    const { output, ended } = start({ KUBECONFIG: cluster.kubeconfigs.admin, PORT: String(port) });
    expect(await ended).toBe(1);
    expect(output()).toContain(`port ${port} is in use`);
    other.close();
  });
});
