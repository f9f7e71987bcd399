import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TestArchive } from '@/server/archive/testing/test-archive';
import type { MovedCluster } from '@/server/runtime/cluster-admission';
import type { ClusterRuntime } from '@/server/runtime/cluster-runtime';
import { Clusters } from '@/server/runtime/clusters';
import type { BindingRepository } from '@/server/runtime/entry-bindings';
import { entryOf, FakeServer, type FakeRuntime, fakeRuntime } from '@/server/runtime/testing/fake-runtime';
import type { ClusterEntry } from '@/server/shared/cluster-entry';
import { ConfigError } from '@/server/shared/config-error';
import { silentLogger } from '@/server/shared/log';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Stage {
  clusters: Clusters;
  opened: FakeRuntime[];
  broken: Set<string>;
  start: ReturnType<typeof vi.fn>;
  moved: MovedCluster[];
  /** The API server that an entry leads to. */
  serverOf: (name: string) => FakeServer;
  namesOf: () => string[];
  /** Of those that are read and have been identified, by name. */
  idsOf: () => Record<string, string>;
  stopped: string[];
}

/** A process; `servers` outlive it. */
function open(servers = new Map<string, FakeServer>()): Stage {
  const opened: FakeRuntime[] = [];
  const broken = new Set<string>();
  const stopped: string[] = [];
  const moved: MovedCluster[] = [];
  const start = vi.fn((runtime: ClusterRuntime) => (runtime as FakeRuntime).begin());
  const serverOf = (name: string) => {
    const server = servers.get(name) ?? new FakeServer(`https://${name}`);
    servers.set(name, server);
    return server;
  };
  const clusters = new Clusters({
    isListed: true,
    open: (entry, confirm) => {
      if (broken.has(entry.name)) return Promise.reject(new ConfigError(['Its kubeconfig does not exist.']));
      const runtime = fakeRuntime(entry, serverOf(entry.name), confirm, () => stopped.push(entry.name));
      opened.push(runtime);
      return Promise.resolve(runtime);
    },
    start,
    onChange: () => undefined,
    onMoved: (change) => moved.push(change),
    log: silentLogger,
  });
  const namesOf = () => clusters.all.map(({ entry }) => entry.name);
  const idsOf = () =>
    Object.fromEntries(
      clusters.all
        .filter(({ cluster }) => cluster.identity.isGuessed !== true)
        .map(({ entry, cluster }) => [entry.name, cluster.identity.id]),
    );
  return { clusters, opened, broken, start, moved, serverOf, namesOf, idsOf, stopped };
}

/** What happens at once has happened. */
async function soon(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A process that reads these entries, whose API servers have answered with these ids. */
async function read(
  answers: Readonly<Record<string, string>>,
  {
    repository,
    entries = Object.keys(answers).map((name) => entryOf(name)),
    servers,
  }: { repository?: BindingRepository; entries?: ClusterEntry[]; servers?: Map<string, FakeServer> } = {},
): Promise<Stage> {
  const stage = open(servers);
  await stage.clusters.apply(entries);
  if (repository !== undefined) await stage.clusters.useArchive(repository);
  for (const [name, id] of Object.entries(answers)) await stage.serverOf(name).answer(id);
  await soon();
  return stage;
}

function refusalsOf({ clusters }: Stage) {
  return Object.fromEntries(clusters.refused.map(({ entry, refusal }) => [entry.name, refusal]));
}

async function bindings(): Promise<BindingRepository> {
  return (await TestArchive.open()).clusters;
}

describe('the clusters of a configuration', () => {
  test('one that is no longer listed stops, and the others are left alone', async () => {
    const { clusters, opened, start, namesOf, stopped } = open();
    await clusters.apply([entryOf('eu'), entryOf('us')]);
    await clusters.apply([entryOf('us', { title: 'America' }), entryOf('staging')]);
    expect(namesOf()).toEqual(['us', 'staging']);
    expect(opened.map(({ entry }) => entry.name)).toEqual(['eu', 'us', 'staging']);
    expect(stopped).toEqual(['eu']);
    expect(start).toHaveBeenCalledTimes(3);
    expect(clusters.named('us').entry.title).toBe('America');
  });

  test('one whose connection is configured otherwise is started again', async () => {
    const { clusters, opened, stopped } = open();
    await clusters.apply([entryOf('eu')]);
    await clusters.apply([entryOf('eu', { source: { kind: 'kubeconfig', files: ['/kube/other'] } })]);
    expect(opened).toHaveLength(2);
    expect(stopped).toEqual(['eu']);
    expect(clusters.all).toEqual([opened[1]]);
  });

  test('one whose credentials can not be used disturbs no other, and is tried again', async () => {
    const { clusters, broken, start, namesOf } = open();
    broken.add('eu');
    await clusters.apply([entryOf('eu'), entryOf('us')]);
    expect(namesOf()).toEqual(['us']);
    expect(clusters.refused).toMatchObject([
      { entry: { name: 'eu' }, reason: 'Its kubeconfig does not exist.', refusal: null },
    ]);
    broken.clear();
    await clusters.retryRefused();
    expect(namesOf()).toEqual(['eu', 'us']);
    expect(clusters.refused).toEqual([]);
    expect(start).toHaveBeenCalledTimes(2);
  });

  test('one that is removed while its credentials are read is never started', async () => {
    const { clusters, start } = open();
    const opening = clusters.apply([entryOf('eu')]);
    await clusters.apply([]);
    await opening;
    expect(start).not.toHaveBeenCalled();
    expect(clusters.all).toEqual([]);
  });

  test('is ready once opening the archive has been tried, whether it is open or not', () => {
    const { clusters } = open();
    expect(clusters.readiness(false)).toEqual({ ready: false, waitingFor: ['archive'] });
    expect(clusters.readiness(true)).toEqual({ ready: true, waitingFor: [] });
  });

  test('a name finds its cluster, and so do its id and its former names', async () => {
    const { clusters, opened, serverOf } = open();
    await clusters.apply([entryOf('eu', { formerNames: ['europe'] })]);
    await serverOf('eu').answer('uid-1');
    await soon();
    for (const name of ['eu', 'uid-1', 'europe']) expect(clusters.named(name)).toBe(opened[0]);
    expect(() => clusters.named('nowhere')).toThrow(/to no cluster "nowhere"/);
  });
});

describe.each([
  ['listed first', ['dev', 'prod']],
  ['listed last', ['prod', 'dev']],
])('a cluster that claims the id of another, %s', (_, names) => {
  const entries = names.map((name) => entryOf(name));

  test('is refused at the next start, and the other one is read', async () => {
    const repository = await bindings();
    await read({ prod: 'uid-prod', dev: 'uid-dev' }, { repository, entries });
    const stage = await read({ dev: 'uid-prod', prod: 'uid-prod' }, { repository, entries });
    expect(stage.idsOf()).toEqual({ prod: 'uid-prod' });
    expect(refusalsOf(stage)).toEqual({
      dev: { kind: 'claimed', id: 'uid-prod', formerId: 'uid-dev', holder: 'prod' },
    });
    expect(stage.stopped).toEqual(['dev']);
  });

  test('is refused while the other one does not answer, and never stands for it', async () => {
    const repository = await bindings();
    await read({ prod: 'uid-prod' }, { repository });
    const stage = await read({ dev: 'uid-prod' }, { repository, entries });
    expect(stage.idsOf()).toEqual({});
    expect(stage.namesOf()).toEqual(['prod']);
    expect(stage.clusters.find('prod')?.cluster.identity).toMatchObject({ formerId: 'uid-prod' });
  });

  test('is refused when it begins to claim it while it is read', async () => {
    const repository = await bindings();
    const stage = await read({ prod: 'uid-prod', dev: 'uid-dev' }, { repository, entries });
    expect(stage.idsOf()).toEqual({ prod: 'uid-prod', dev: 'uid-dev' });
    await stage.serverOf('dev').answer('uid-prod');
    await soon();
    expect(stage.idsOf()).toEqual({ prod: 'uid-prod' });
    expect(refusalsOf(stage)).toMatchObject({ dev: { kind: 'claimed', holder: 'prod' } });
  });

  test('waits like the other one where the archive knows neither', async () => {
    const repository = await bindings();
    const stage = await read({ dev: 'uid-prod', prod: 'uid-prod' }, { repository, entries });
    expect(stage.namesOf()).toEqual([]);
    expect(refusalsOf(stage)).toEqual({
      prod: { kind: 'contested', id: 'uid-prod', rivals: ['dev'] },
      dev: { kind: 'contested', id: 'uid-prod', rivals: ['prod'] },
    });
    expect(await repository.list()).toEqual([]);
    await stage.clusters.apply([entryOf('prod')]);
    await soon();
    await soon();
    expect(stage.idsOf()).toEqual({ prod: 'uid-prod' });
  });

  test('waits like the other one while the archive is away, and is refused when it is back', async () => {
    const repository = await bindings();
    await read({ prod: 'uid-prod' }, { repository });
    const stage = await read({ dev: 'uid-prod', prod: 'uid-prod' }, { entries });
    expect(stage.namesOf()).toEqual([]);
    await stage.clusters.useArchive(repository);
    await soon();
    expect(stage.idsOf()).toEqual({ prod: 'uid-prod' });
    expect(refusalsOf(stage)).toMatchObject({ dev: { kind: 'claimed', holder: 'prod' } });
  });

  test('is read no more when the archive opens, where it was alone until then', async () => {
    const repository = await bindings();
    await read({ prod: 'uid-prod' }, { repository });
    const stage = await read({ dev: 'uid-prod' }, { entries });
    await vi.advanceTimersByTimeAsync(25_000);
    await soon();
    expect(stage.idsOf()).toEqual({ dev: 'uid-prod' });
    await stage.clusters.useArchive(repository);
    expect(stage.namesOf()).toEqual(['prod']);
  });

  test('is read once a person has accepted it, and the other one no longer is', async () => {
    const repository = await bindings();
    await read({ prod: 'uid-prod', dev: 'uid-dev' }, { repository, entries });
    const stage = await read({ dev: 'uid-prod', prod: 'uid-prod' }, { repository, entries });
    const seen = { kind: 'claimed', id: 'uid-prod', formerId: 'uid-dev', holder: 'prod' } as const;
    await expect(stage.clusters.accept('dev', { ...seen, holder: 'other' })).rejects.toMatchObject({
      code: 'conflict',
    });
    await stage.clusters.accept('dev', seen);
    await soon();
    expect(stage.idsOf()).toEqual({ dev: 'uid-prod' });
    expect(refusalsOf(stage)).toEqual({
      prod: { kind: 'claimed', id: 'uid-prod', formerId: null, holder: 'dev' },
    });
    const restarted = await read({ dev: 'uid-prod', prod: 'uid-prod' }, { repository, entries });
    expect(restarted.idsOf()).toEqual({ dev: 'uid-prod' });
  });
});

describe('an entry', () => {
  test('keeps its id at another address and with another authority, which is told once', async () => {
    const repository = await bindings();
    await read({ prod: 'uid-prod' }, { repository });
    const servers = new Map([['prod', new FakeServer('https://elsewhere')]]);
    const stage = await read({ prod: 'uid-prod' }, { repository, servers });
    expect(stage.idsOf()).toEqual({ prod: 'uid-prod' });
    expect(stage.moved).toMatchObject([
      { id: 'uid-prod', from: 'https://prod', to: 'https://elsewhere', entry: { name: 'prod' } },
    ]);
    expect(stage.clusters.movedOf(entryOf('prod'))).toMatchObject({ from: 'https://prod' });
    const again = await read({ prod: 'uid-prod' }, { repository, servers });
    expect(again.moved).toEqual([]);
    expect(again.clusters.movedOf(entryOf('prod'))).toMatchObject({ from: 'https://prod' });
  });

  test('keeps its id where its new address can not be asked for it', async () => {
    const repository = await bindings();
    await read({ prod: 'uid-prod' }, { repository });
    const server = new FakeServer('https://elsewhere');
    server.isStated = false;
    const servers = new Map([['prod', server]]);
    const stage = await read({ prod: 'hash of elsewhere' }, { repository, servers });
    expect(stage.idsOf()).toEqual({ prod: 'uid-prod' });
  });

  test('is refused with another id, until it is accepted', async () => {
    const repository = await bindings();
    await read({ prod: 'uid-1' }, { repository });
    const stage = await read({ prod: 'uid-2' }, { repository });
    const seen = { kind: 'changed', id: 'uid-2', formerId: 'uid-1' } as const;
    expect(refusalsOf(stage)).toEqual({ prod: seen });
    await stage.clusters.accept('prod', seen);
    await soon();
    expect(stage.idsOf()).toEqual({ prod: 'uid-2' });
    // Its former id is still no one else's.
    const later = await read({ prod: 'uid-2', dev: 'uid-1' }, { repository });
    expect(later.idsOf()).toEqual({ prod: 'uid-2' });
    expect(refusalsOf(later)).toMatchObject({ dev: { kind: 'claimed', holder: 'prod' } });
    const back = await read({ prod: 'uid-1' }, { repository });
    expect(refusalsOf(back)).toEqual({ prod: { kind: 'changed', id: 'uid-1', formerId: 'uid-2' } });
  });

  test('is refused with another id while the archive is away, and when it comes back as it was, it is read', async () => {
    const stage = await read({ prod: 'uid-1' });
    await stage.serverOf('prod').answer('uid-2');
    await soon();
    expect(refusalsOf(stage)).toEqual({ prod: { kind: 'changed', id: 'uid-2', formerId: 'uid-1' } });
    const repository = await bindings();
    const known = await read({ prod: 'uid-1' }, { repository });
    await known.serverOf('prod').answer('uid-2');
    await soon();
    expect(known.namesOf()).toEqual([]);
    await known.serverOf('prod').answer('uid-1');
    await known.clusters.retryRefused();
    await soon();
    expect(known.idsOf()).toEqual({ prod: 'uid-1' });
  });

  test('that is renamed keeps its id where it names its former name; another file or Secret is another entry', async () => {
    const repository = await bindings();
    const source = { kind: 'secret', name: 'prod' } as const;
    await read({ prod: 'uid-1' }, { repository, entries: [entryOf('prod', { source })] });
    const other = await read({ prod: 'uid-1' }, { repository });
    expect(refusalsOf(other)).toMatchObject({ prod: { kind: 'claimed', holder: 'prod' } });
    const nameless = await read({ eu: 'uid-1' }, { repository, entries: [entryOf('eu', { source })] });
    expect(refusalsOf(nameless)).toMatchObject({ eu: { kind: 'claimed', holder: 'prod' } });
    const eu = entryOf('eu', { source, formerNames: ['prod'] });
    const both = await read({ eu: 'uid-1' }, { repository, entries: [eu, entryOf('prod')] });
    expect(refusalsOf(both)).toMatchObject({ eu: { kind: 'claimed', holder: 'prod' } });
    const renamed = await read({ eu: 'uid-1' }, { repository, entries: [eu] });
    expect(renamed.idsOf()).toEqual({ eu: 'uid-1' });
    expect(await repository.list()).toMatchObject([{ id: 'uid-1', entry: { name: 'eu' } }]);
  });

  test('with an id that the file gives takes no id of another entry', async () => {
    const repository = await bindings();
    await read({ prod: 'uid-1' }, { repository });
    const entries = [entryOf('copy', { id: 'uid-1' }), entryOf('prod')];
    const stage = await read({ copy: 'uid-1', prod: 'uid-1' }, { repository, entries });
    expect(stage.idsOf()).toEqual({ prod: 'uid-1' });
    const given = [entryOf('copy', { id: 'copy-1' }), entryOf('prod')];
    const mended = await read({ copy: 'copy-1', prod: 'uid-1' }, { repository, entries: given });
    expect(mended.idsOf()).toEqual({ copy: 'copy-1', prod: 'uid-1' });
  });
});

describe('the first start with an archive of an earlier version', () => {
  test('binds what answers, whatever it was called, once the others had time to answer', async () => {
    const archive = await TestArchive.open();
    await archive.clusters.saw({ id: 'uid-1', name: 'kind-prod', aliases: [] }, 0);
    const entries = [entryOf('prod'), entryOf('dev')];
    const stage = await read({ prod: 'uid-1' }, { repository: archive.clusters, entries });
    expect(stage.idsOf()).toEqual({});
    await vi.advanceTimersByTimeAsync(25_000);
    await soon();
    expect(stage.idsOf()).toEqual({ prod: 'uid-1' });
    expect(await archive.clusters.list()).toMatchObject([{ id: 'uid-1', entry: { name: 'prod' } }]);
    await stage.serverOf('dev').answer('uid-1');
    await soon();
    expect(refusalsOf(stage)).toMatchObject({ dev: { kind: 'claimed', holder: 'prod' } });
  });

  test('later on, records of an earlier version are of the entry with their name', async () => {
    const archive = await TestArchive.open();
    const { clusters: repository } = archive;
    await read({ prod: 'uid-1' }, { repository });
    for (const name of ['old', 'edge'])
      await archive.clusters.saw({ id: `uid-${name}`, name, aliases: [] }, 0);
    const stage = await read({ prod: 'uid-1', edge: 'uid-edge', dev: 'uid-old' }, { repository });
    expect(stage.idsOf()).toEqual({ prod: 'uid-1', edge: 'uid-edge' });
    expect(refusalsOf(stage)).toMatchObject({ dev: { kind: 'claimed', holder: 'old' } });
  });
});

test('while the archive is away again, what is known counts, and a new entry waits until it is back', async () => {
  const repository = await bindings();
  await read({ prod: 'uid-1' }, { repository });
  let isAway = false;
  const failing: BindingRepository = {
    list: () => (isAway ? Promise.reject(new Error('gone')) : repository.list()),
    bind: (...args) => (isAway ? Promise.reject(new Error('gone')) : repository.bind(...args)),
  };
  const entries = ['prod', 'dev', 'edge'].map((name) => entryOf(name));
  const stage = await read({}, { repository: failing, entries });
  isAway = true;
  for (const [name, id] of [
    ['prod', 'uid-1'],
    ['dev', 'uid-1'],
    ['edge', 'uid-3'],
  ] as const)
    await stage.serverOf(name).answer(id);
  await soon();
  expect(stage.idsOf()).toEqual({ prod: 'uid-1' });
  expect(refusalsOf(stage)).toMatchObject({ dev: { kind: 'claimed', holder: 'prod' } });
  isAway = false;
  await vi.advanceTimersByTimeAsync(25_000);
  await soon();
  expect(stage.idsOf()).toEqual({ prod: 'uid-1', edge: 'uid-3' });
});

test('what another process accepts counts within a minute', async () => {
  const repository = await bindings();
  await read({ prod: 'uid-prod', dev: 'uid-dev' }, { repository });
  const answers = { dev: 'uid-prod', prod: 'uid-prod' };
  const [one, other] = [await read(answers, { repository }), await read(answers, { repository })];
  const seen = other.clusters.refused[0]?.refusal;
  if (seen == null) expect.fail('nothing is refused');
  await one.clusters.accept('dev', seen);
  await other.clusters.retryRefused();
  await soon();
  expect(other.idsOf()).toEqual({ dev: 'uid-prod' });
});

test('the cluster that Shiplog runs in answers about rights although it is refused', async () => {
  const repository = await bindings();
  const entries = [entryOf('home', { source: { kind: 'in_cluster' } })];
  await read({ home: 'uid-1' }, { repository, entries });
  const stage = await read({ home: 'uid-2' }, { repository, entries });
  expect(stage.clusters.all).toEqual([]);
  expect(stage.clusters.home?.entry.name).toBe('home');
  expect(stage.clusters.home).not.toBe(stage.opened[0]);
});

test('a single cluster that is not listed is nobody’s', async () => {
  const repository = await bindings();
  await read({ prod: 'uid-prod' }, { repository });
  const asked: unknown[] = [];
  const clusters = new Clusters({
    isListed: false,
    open: (entry, confirm) => {
      asked.push(confirm);
      return Promise.resolve(fakeRuntime(entry, new FakeServer('https://kind'), confirm, () => undefined));
    },
    start: () => undefined,
    onChange: () => undefined,
    log: silentLogger,
  });
  await clusters.apply([entryOf('kind')]);
  await clusters.useArchive(repository);
  expect(asked).toEqual([undefined]);
  expect(clusters.refused).toEqual([]);
});
