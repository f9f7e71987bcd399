import { copyFileSync, chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { waitFor } from '@/e2e/controlplane/wait';
import { type Arch, ARCH, buildImage, BuiltImage, makeScratch } from '@/e2e/image/built-image';
import { type RunningContainer, type ContainerOptions, startContainer } from '@/e2e/image/container';
import { freePort } from '@/e2e/controlplane/ports';
import { pathsIn } from '@/scripts/image/paths-in.mjs';
import { findRunc } from '@/scripts/runc.mjs';
import { openDatabase } from '@/server/archive/open';
import { verifyArchive } from '@/server/archive/verify';

const ARCHS: readonly Arch[] = ['amd64', 'arm64'];
const BYTES_MAX = 80e6;
/** A pod's `terminationGracePeriodSeconds`, unless it states another. */
const GRACE_MS = 30_000;

describe.runIf(findRunc() !== undefined)('the container image', () => {
  const scratch = makeScratch();
  const at = (...names: string[]) => join(scratch.path, ...names);
  const image = new BuiltImage(at('first'));
  const running: RunningContainer[] = [];
  let cluster: ControlPlane;

  beforeAll(async () => {
    [cluster] = await Promise.all([startControlPlane(), buildImage('--out', at('first'))]);
    await image.unpack(ARCH, at('root'));
  });

  afterEach(async () => {
    for (const container of running.splice(0)) await container.stop();
  });

  afterAll(async () => {
    await cluster?.stop();
    scratch.remove();
  });

  function start(options: Partial<ContainerOptions> = {}): RunningContainer {
    const folder = at(`container-${readdirSync(scratch.path).length}`);
    mkdirSync(folder);
    const container = startContainer({ root: at('root'), config: image.config(ARCH), folder, ...options });
    running.push(container);
    return container;
  }

  test('two builds of one commit have one digest', async () => {
    await buildImage('--out', at('second'), '--arch', ARCH);
    expect(new BuiltImage(at('second')).digests()).toEqual({ [ARCH]: image.digests()[ARCH] });
  });

  test.each(ARCHS)('takes at most 80 MB compressed on %s', (arch) => {
    expect(image.compressedBytes(arch)).toBeLessThanOrEqual(BYTES_MAX);
  });

  test('both architectures have the same files', async () => {
    const [one, other] = await Promise.all(ARCHS.map(async (arch) => alike(await image.paths(arch))));
    expect(other).toEqual(one);
  });

  test('the folder for docker has the files of the layers', async () => {
    await buildImage('--rootfs', at('folder'), '--arch', ARCH);
    expect(pathsIn(at('folder')).map(({ path }) => path)).toEqual(
      pathsIn(at('root')).map(({ path }) => path),
    );
  });

  test.each(['deploy/oam-rollout/policy.yaml', 'docs/glossary.md'])('has %s, which Shiplog reads', (path) => {
    expect(readFileSync(at('root', 'app', path), 'utf8')).toBe(readFileSync(path, 'utf8'));
  });

  test('has no shell, no package manager, no sharp, and no other native code than Node and its libraries', () => {
    expect(readdirSync(at('root/usr/bin'))).toEqual(['node']);
    const unwanted = /(^|\/)(s?bin|sh|npm|corepack|sharp|@img)(\/|$)|\.node$/;
    const found = pathsIn(at('root')).filter(({ path, isFolder }) => !isFolder && unwanted.test(path));
    expect(found.map(({ path }) => path)).toEqual(['usr/bin/node']);
  });

  test('every file belongs to root, and none is set-uid, set-gid, or writable for others', () => {
    const odd = pathsIn(at('root')).filter(({ path }) => {
      const state = lstatSync(at('root', path));
      return state.uid !== 0 || state.gid !== 0 || (!state.isSymbolicLink() && (state.mode & 0o6022) !== 0);
    });
    expect(odd.map(({ path }) => path)).toEqual(['data', 'tmp']);
  });

  test('states its user, its volume, and the versions of its parts', () => {
    const { User, Volumes, Labels } = image.config(ARCH);
    expect({ User, Volumes }).toEqual({ User: '65532:65532', Volumes: { '/data': {} } });
    expect(Labels).toMatchObject({
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'dev.shiplog.version.node': process.versions.node,
      'dev.shiplog.version.next': expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
      'dev.shiplog.version.libc6': expect.stringMatching(/^2\./) as string,
    });
  });

  test.each(ARCHS)(
    'the bill of materials for %s lists what is in it, and nothing that only tests need',
    (arch) => {
      const parts = image.billOfMaterials(arch);
      const { Labels } = image.config(arch);
      for (const name of ['node', 'next'])
        expect(parts).toContainEqual(
          expect.stringContaining(`/${name}@${Labels[`dev.shiplog.version.${name}`]}`),
        );
      expect(parts).toContainEqual(expect.stringMatching(/^pkg:deb\/debian\/libc6@.*arch=(amd64|arm64)/));
      expect(parts.filter((part) => /sharp|vitest|playwright|node-linux/.test(part))).toEqual([]);
      expect(new Set(parts).size).toBe(parts.length);
    },
  );

  test('serves a cluster with a read-only root and no rights, and ends on SIGTERM with a stream open', async () => {
    const kubeconfig = at('kubeconfig');
    copyFileSync(cluster.kubeconfigs.admin, kubeconfig);
    chmodSync(kubeconfig, 0o644);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const container = start({
      env: {
        SHIPLOG_HOST: '127.0.0.1',
        PORT: String(port),
        KUBECONFIG: '/config',
        HOSTNAME: 'shiplog-7d4f9-x2x9p',
      },
      files: { '/config': kubeconfig },
    });
    await untilOk(`${url}/api/healthz`, container);
    await untilOk(`${url}/api/readyz`, container);

    const key = readFileSync(join(container.data, 'shiplog/local-key'), 'utf8').trim();
    const headers = { authorization: `Bearer ${key}` };
    const [page = ''] = await Promise.all(
      ['/', '/timeline', '/help/glossary', '/api/workloads'].map((path) => textOf(url + path, headers)),
    );
    const [, script = ''] = /src="(\/_next\/static\/[^"]+\.js)"/.exec(page) ?? [];
    await textOf(url + script, {});

    const backup = container.exec(['node', '/app/backup.mjs']);
    expect([backup.status, backup.stderr]).toEqual([0, '']);
    mkdirSync(at('restored'));
    expect(spawnSync('tar', ['-xf', '-', '-C', at('restored')], { input: backup.stdout }).status).toBe(0);
    expect(readdirSync(at('restored'))).toEqual(expect.arrayContaining(['archive.db', 'audit.jsonl', 'key']));
    const database = await openDatabase({ databaseUrl: undefined, dataDir: at('restored') });
    expect(await verifyArchive(database)).toEqual([]);
    await database.db.destroy();
    const report = container.exec(['node', '/app/support-bundle.mjs']);
    expect([report.status, report.stderr]).toEqual([0, '']);
    expect(JSON.parse(report.stdout.toString())).toMatchObject({
      server: { readiness: { ready: true }, archive: { isOpen: true } },
    });

    const stream = await fetch(`${url}/api/stream`, { headers });
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    expect(await container.stop('TERM')).toBeLessThan(GRACE_MS);
    expect(await container.ended).toBe(0);
    await stream.body?.cancel().catch(() => undefined);
    expect(container.log()).not.toMatch(/EROFS|EACCES|EPERM|read-only file system/i);
    expect(readdirSync(container.data)).toEqual(['shiplog']);
  });

  test('ends with exit code 1 and the list of problems where it has no cluster', async () => {
    const container = start({ env: { SHIPLOG_RETENTION_DAYS: 'many' } });
    expect(await container.ended).toBe(1);
    for (const problem of [
      'No cluster is configured',
      'SHIPLOG_HOST is 0.0.0.0',
      'SHIPLOG_RETENTION_DAYS is "many"',
    ])
      expect(container.log()).toContain(`- ${problem}`);
  });

  test('lets the heap take three fifths of the memory limit', async () => {
    const [node = '', ...flags] = image.config(ARCH).Entrypoint.slice(0, -1);
    const heap = 'v8.getHeapStatistics().heap_size_limit / process.constrainedMemory()';
    const container = start({ args: [node, ...flags, '--print', heap], memoryBytes: 400 * 2 ** 20 });
    expect(await container.ended).toBe(0);
    // The young generation comes on top.
    expect(Number(container.log())).toBeGreaterThanOrEqual(0.6);
    expect(Number(container.log())).toBeLessThan(0.7);
  });
});

async function untilOk(url: string, { log }: RunningContainer): Promise<void> {
  await waitFor(async () => (await fetch(url)).ok, { what: `${url} is 200`, detail: log });
}

async function textOf(url: string, headers: Record<string, string>): Promise<string> {
  const answer = await fetch(url, { headers });
  expect(`${answer.status} ${url}`).toBe(`200 ${url}`);
  return answer.text();
}

/** Without the names of the architecture; the loader's place differs too: /lib64 on amd64, /lib on arm64. */
function alike(paths: readonly string[]): string[] {
  return paths
    .filter((path) => !/^(usr\/)?lib(64)?\/(ld-linux[^/]*)?$|^lib64$/.test(path))
    .map((path) => path.replace(/(x86_64|aarch64)-linux-gnu/, 'ARCH'))
    .map((path) => path.replace(/ld-linux-.*/, 'ld-linux'))
    .sort();
}
