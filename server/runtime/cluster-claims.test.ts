import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ClusterRow } from '@/server/archive/clusters';
import { Clusters } from '@/server/runtime/clusters';
import type { BindingRepository } from '@/server/runtime/entry-bindings';
import { entryOf, FakeServer, type FakeRuntime, fakeRuntime } from '@/server/runtime/testing/fake-runtime';
import { silentLogger } from '@/server/shared/log';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const names = ['prod', 'dev', 'edge'];
const ids = ['uid-a', 'uid-b', 'uid-c'];

/** What the archive keeps, in memory. */
class Rows implements BindingRepository {
  rows: readonly ClusterRow[] = [];

  list() {
    return Promise.resolve([...this.rows]);
  }

  bind(...[id, entry, holder]: Parameters<BindingRepository['bind']>) {
    const before = this.rows.find((row) => row.id === id);
    if ((before?.entry?.name ?? null) !== (holder?.name ?? null)) return Promise.resolve(false);
    const at = entry.at;
    const row = { id, name: entry.name, aliases: [], firstSeenAt: at, lastSeenAt: at, entry };
    this.rows = [...this.rows.filter((each) => each.id !== id), row];
    return Promise.resolve(true);
  }
}

/** A move of the world. */
const move = fc.oneof(
  fc.record({
    kind: fc.constant('answer' as const),
    name: fc.constantFrom(...names),
    id: fc.constantFrom(...ids),
  }),
  fc.record({ kind: fc.constant('silence' as const), name: fc.constantFrom(...names) }),
  fc.record({
    kind: fc.constant('list' as const),
    listed: fc.shuffledSubarray(names, { minLength: 1 }),
    isRenamed: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('restart' as const), hasArchive: fc.boolean() }),
  fc.record({ kind: fc.constant('archive' as const) }),
  fc.record({ kind: fc.constant('minute' as const) }),
  fc.record({ kind: fc.constant('accept' as const), name: fc.constantFrom(...names) }),
);

test('whatever clusters claim and in whatever order, no id is read through an entry that it does not belong to', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 5, maxLength: 25 }), async (moves) => {
      const world = new World();
      await world.restart(true);
      for (const each of moves) {
        await world.make(each);
        world.check();
      }
    }),
  );
});

/** Processes, one after another, over one archive. */
class World {
  readonly #archive = new Rows();
  readonly #servers = new Map(names.map((name) => [name, new FakeServer(`https://${name}`)]));
  #listed: readonly string[] = names;
  #isRenamed = false;
  #isOpen = false;
  #clusters: Clusters | undefined;
  /** Ids by source, as they were bound or accepted: the law is checked against this, and not against the archive. */
  readonly #owners = new Map<string, string>();

  async make(each: typeof move extends fc.Arbitrary<infer Move> ? Move : never): Promise<void> {
    switch (each.kind) {
      case 'answer':
        await this.#servers.get(each.name)?.answer(each.id);
        break;
      case 'silence':
        await this.#servers.get(each.name)?.answer(null);
        break;
      case 'list':
        this.#listed = each.listed;
        this.#isRenamed = each.isRenamed;
        await this.#clusters?.apply(this.#entries());
        break;
      case 'restart':
        await this.restart(each.hasArchive);
        break;
      case 'archive':
        if (!this.#isOpen) await this.#clusters?.useArchive(this.#archive);
        this.#isOpen = true;
        break;
      case 'minute':
        await vi.advanceTimersByTimeAsync(60_000);
        await this.#clusters?.retryRefused();
        break;
      case 'accept':
        await this.#accept(each.name);
    }
    await soon();
  }

  async restart(hasArchive: boolean): Promise<void> {
    await this.#clusters?.stop();
    this.#clusters = new Clusters({
      isListed: true,
      open: (entry, confirm) => {
        const server = this.#servers.get(nameOf(entry.name));
        if (server === undefined) throw new Error(entry.name);
        return Promise.resolve(fakeRuntime(entry, server, confirm, () => undefined));
      },
      start: (runtime) => (runtime as FakeRuntime).begin(),
      onChange: () => undefined,
      log: silentLogger,
    });
    this.#isOpen = hasArchive;
    if (hasArchive) await this.#clusters.useArchive(this.#archive);
    await this.#clusters.apply(this.#entries());
  }

  check(): void {
    const read = this.#clusters?.all ?? [];
    const claimed = read.flatMap(({ cluster }) =>
      cluster.identity.isGuessed === true ? (cluster.identity.formerId ?? []) : [cluster.identity.id],
    );
    expect(new Set(claimed).size).toBe(claimed.length);
    if (!this.#isOpen) return;
    for (const { entry, cluster } of read) {
      const { id, isGuessed, formerId } = cluster.identity;
      const shown = isGuessed === true ? formerId : id;
      if (shown === undefined) continue;
      const owner = this.#owners.get(shown) ?? nameOf(entry.name);
      expect(nameOf(entry.name), `${shown} belongs to ${owner}`).toBe(owner);
      if (isGuessed !== true) this.#owners.set(shown, owner);
    }
  }

  async #accept(name: string): Promise<void> {
    const refused = this.#clusters?.refused.find(({ entry }) => nameOf(entry.name) === name);
    if (refused?.refusal == null || !this.#isOpen) return;
    const { refusal, entry } = refused;
    const accepted = await this.#clusters?.accept(entry.name, refusal).then(
      () => true,
      () => false,
    );
    if (accepted === true) this.#owners.set(refusal.id, name);
  }

  /** A renamed entry has the same file. */
  #entries() {
    return this.#listed.map((name) => {
      const { source } = entryOf(name);
      return this.#isRenamed ? entryOf(`${name}-2`, { source, formerNames: [name] }) : entryOf(name);
    });
  }
}

function nameOf(name: string): string {
  return name.replace(/-2$/, '');
}

async function soon(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
