import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isoTime } from '@/lib/format/time';
import { type JsonObject, parseJson, canonicalJson } from '@/lib/kube/json';
import { noPreferences } from '@/lib/api/preference-values';
import type { Verdict } from '@/lib/api/review';
import type { Archive } from '@/server/archive/archive';
import type { Lease } from '@/server/archive/lease';
import { ARCHIVE_FILE, openArchive, openDatabase } from '@/server/archive/open';
import type { EventQuery } from '@/server/archive/events';
import { hashOfText } from '@/server/archive/revisions';
import { sampleReview } from '@/server/archive/testing/sample-actions';
import { timeCursor } from '@/server/archive/time-cursor';
import { INCARNATIONS_PER_SLICE, WorkloadRepository } from '@/server/archive/workloads';
import { enginesUnderTest, type TestDatabase } from '@/server/archive/testing/engines';
import {
  hashOf,
  hour,
  meaningOf,
  sampleActivation,
  sampleBody,
  sampleIncarnation,
  sampleRecord,
  sampleRecording,
  sampleRevision,
  START_MS,
} from '@/server/archive/testing/samples';
import { failureOf } from '@/test/failure';

const prodRecord = { clusters: [{ cluster: 'prod', scopes: null }], limit: 50 };

const { engines, stop } = await enginesUnderTest();
afterAll(stop);

const life = sampleIncarnation();
const YEAR_MS = 365 * 24 * 3_600_000;

function verdict(change: Partial<Verdict> = {}): Verdict {
  return { verdict: 'good', by: 'ben', at: hour(9), followUp: null, ...change };
}

function comment(body: string, at = hour(9), answers: string | null = null) {
  return { recordId: 'uid-cart.1', by: 'ann', at, body, path: null, answers };
}

describe.each(engines)('on $engine', ({ engine, createDatabase: makePlace }) => {
  let place: TestDatabase;
  let archive: Archive;
  let lease: Lease;

  beforeEach(async () => {
    place = await makePlace();
    archive = await openArchive(place);
    lease = await leaseOf('prod');
  });
  afterEach(async () => {
    await archive.close();
    await place.remove();
  });

  async function leaseOf(cluster: string, holder = 'one'): Promise<Lease> {
    return (await archive.leases.acquire(holder, START_MS, cluster)) as Lease;
  }

  test('reads what was recorded unchanged, also after another opening', async () => {
    const recording = sampleRecording(life, 3);
    await archive.record(lease, [recording], START_MS);
    await archive.close();
    archive = await openArchive(place);
    expect(archive.engine).toBe(engine);
    expect(await archive.workloads.incarnations('prod', 'deployments.apps', 'shop', 'cart')).toStrictEqual([
      life,
    ]);
    expect(await archive.revisions.of(life)).toStrictEqual(
      recording.revisions.map(({ revision }) => revision),
    );
    expect(await archive.workloads.activations(life)).toStrictEqual(recording.activations);
    expect((await archive.rollouts.of(life)).map(({ record }) => record)).toStrictEqual(recording.records);
    expect(await archive.revisions.body(hashOf('cart', 2))).toStrictEqual(sampleBody('cart', 2));
  });

  test('reads very many incarnations slice by slice, each once', async () => {
    const uids = Array.from(
      { length: 2 * INCARNATIONS_PER_SLICE + 2 },
      (_, index) => `uid-${10_000 + index}`,
    );
    const lives = uids.map((uid, index) =>
      sampleIncarnation('cart', { uid, deletedAt: index < 3 ? hour(2) : null }),
    );
    const recordings = lives.map((each) => ({
      incarnation: each,
      revisions: [],
      activations: [],
      records: [],
    }));
    await archive.record(lease, recordings, START_MS);
    expect((await archive.workloads.allIncarnations('prod')).map(({ uid }) => uid)).toStrictEqual(uids);
    expect((await archive.workloads.currentIncarnations('prod')).map(({ uid }) => uid)).toStrictEqual(
      uids.slice(3),
    );
    expect(await archive.workloads.allIncarnations('other')).toStrictEqual([]);
    const database = await openDatabase(place);
    const slices: number[] = [];
    const counted = new WorkloadRepository({
      async run(work) {
        const slice = await work(database.db);
        slices.push((slice as unknown[]).length);
        return slice;
      },
    });
    await counted.allIncarnations('prod');
    await database.db.destroy();
    expect(slices).toStrictEqual([INCARNATIONS_PER_SLICE, INCARNATIONS_PER_SLICE, 2]);
  });

  test('reads in direct succession leave turns of the event loop to other work', async () => {
    let hadTurn = false;
    setImmediate(() => (hadTurn = true));
    while (!hadTurn) await archive.rollouts.search({ ...prodRecord, limit: 200 });
  });

  test('recording the same again changes nothing, and a newer state replaces the earlier one', async () => {
    const open = sampleRecord(life, 1, { outcome: null, endedAt: null, samples: [] });
    await archive.record(
      lease,
      [{ incarnation: life, revisions: [], activations: [], records: [open] }],
      START_MS,
    );
    const openRecords = async () =>
      (await archive.rollouts.search({ ...prodRecord, outcomes: ['open'] })).items.map(
        ({ record }) => record,
      );
    expect(await openRecords()).toStrictEqual([open]);
    for (const round of [1, 2]) await archive.record(lease, [sampleRecording(life, 2)], START_MS + round);
    expect(await openRecords()).toStrictEqual([]);
    expect(await archive.rollouts.of(life)).toHaveLength(2);
    expect(await archive.revisions.of(life)).toHaveLength(2);
    expect(await archive.rollouts.byId('uid-cart.1')).toMatchObject({ record: sampleRecord(life, 1) });
  });

  test('stores a recording completely or not at all', async () => {
    const revision = sampleRevision(life, 2);
    const wrong = [{ revision, body: sampleBody('cart', 3) }];
    const recording = { ...sampleRecording(life, 1), revisions: wrong };
    expect(await failureOf(archive.record(lease, [recording], START_MS))).toMatchObject({ code: 'internal' });
    expect(await archive.workloads.incarnations('prod', 'deployments.apps', 'shop', 'cart')).toStrictEqual(
      [],
    );
    expect((await archive.rollouts.search(prodRecord)).items).toStrictEqual([]);
  });

  test('numbers that a double cannot hold and odd member names are read back unchanged', async () => {
    const body = parseJson('{"b":9007199254740993,"a":{"10":1.0,"__proto__":1,"\\u0000":"\\ud800"}}');
    const text = canonicalJson(body);
    const hash = hashOfText(text);
    const revision = sampleRevision(life, 1, { hash });
    const revisions = [{ revision, body: body as JsonObject }];
    await archive.record(lease, [{ incarnation: life, revisions, activations: [], records: [] }], START_MS);
    expect(canonicalJson(await archive.revisions.body(hash))).toBe(text);
  });

  test('tells incarnations of one name apart, and the deleted ones are no longer open', async () => {
    const second = sampleIncarnation('cart', { uid: 'uid-second', createdAt: hour(5) });
    const first = { ...life, deletedAt: hour(4) };
    const other = sampleIncarnation('cart', { uid: 'uid-other', cluster: 'test' });
    await archive.record(
      lease,
      [second, first].map((each) => sampleRecording(each, 0)),
      START_MS,
    );
    await archive.record(await leaseOf('test'), [sampleRecording(other, 0)], START_MS);
    expect(await archive.workloads.incarnations('prod', 'deployments.apps', 'shop', 'cart')).toStrictEqual([
      first,
      second,
    ]);
    expect(await archive.workloads.currentIncarnations('prod')).toStrictEqual([second]);
    expect(await archive.workloads.allIncarnations('prod')).toStrictEqual([first, second]);
    const place = { resource: 'deployments.apps', namespace: 'shop' };
    expect(await archive.workloads.namespaces('prod')).toStrictEqual([{ ...place, deletedMs: null }]);
    const gone = { ...second, deletedAt: hour(6) };
    await archive.record(lease, [{ ...sampleRecording(gone, 0), incarnation: gone }], START_MS);
    expect(await archive.workloads.namespaces('prod')).toStrictEqual([
      { ...place, deletedMs: Date.parse(hour(6)) },
    ]);
    expect(await archive.workloads.namespaces('nowhere')).toStrictEqual([]);
  });

  test('stores control characters and half characters in texts of people and programs', async () => {
    const text = 'a\u0000b\ud800 <b>bold</b>\u0007';
    const actor = { name: text, source: 'managedFields', manager: text } as const;
    const record = sampleRecord(life, 1, { cause: text, summary: text, actor });
    await archive.record(
      lease,
      [{ incarnation: life, revisions: [], activations: [], records: [record] }],
      START_MS,
    );
    expect((await archive.rollouts.byId(record.id))?.record).toStrictEqual(record);
    expect((await archive.rollouts.search({ ...prodRecord, actor: text })).items).toHaveLength(1);
    const { id } = await archive.reviews.addComment(comment(text));
    expect((await archive.reviews.comments(record.id)).map((each) => [each.id, each.body])).toStrictEqual([
      [id, text],
    ]);
  });

  test('the lease passes on when it has expired or is given back, and its former holder records no more', async () => {
    expect(await archive.leases.acquire('two', START_MS + 9_999, 'prod')).toBeNull();
    expect(await archive.leases.acquire('one', START_MS + 5_000, 'prod')).toStrictEqual(lease);
    const next = (await archive.leases.acquire('two', START_MS + 15_000, 'prod')) as Lease;
    expect(next).toStrictEqual({ cluster: 'prod', holder: 'two', epoch: lease.epoch + 1 });
    const late = archive.record(lease, [sampleRecording(life, 1)], START_MS + 15_001);
    expect(await failureOf(late)).toMatchObject({ code: 'conflict', details: { epoch: next.epoch } });
    expect(await archive.workloads.incarnations('prod', 'deployments.apps', 'shop', 'cart')).toStrictEqual(
      [],
    );
    await archive.leases.release(lease);
    expect(await archive.leases.acquire('three', START_MS + 15_002, 'prod')).toBeNull();
    await archive.leases.release(next);
    expect(await archive.leases.acquire('three', START_MS + 15_003, 'prod')).toMatchObject({
      epoch: next.epoch + 1,
    });
  });

  test('of several processes that try to take the lease at once one gets it', async () => {
    const others = await Promise.all([openArchive(place), openArchive(place)]);
    const all = [archive, ...others].map((each, index) =>
      each.leases.acquire(`p${index}`, START_MS + 20_000, 'prod'),
    );
    const got = (await Promise.all(all)).filter((each) => each !== null);
    await Promise.all(others.map((each) => each.close()));
    expect(got).toHaveLength(1);
  });

  test('of two viewers who decide at once the second is shown the verdict of the first', async () => {
    await archive.record(lease, [sampleRecording(life, 1)], START_MS);
    const answers = await Promise.allSettled([
      archive.reviews.save('uid-cart.1', verdict({ by: 'ann' }), 0),
      archive.reviews.save('uid-cart.1', verdict({ by: 'ben', verdict: 'bad' }), 0),
    ]);
    const [won] = answers.filter(({ status }) => status === 'fulfilled');
    const [lost] = answers.filter(({ status }) => status === 'rejected');
    const standing = (await archive.rollouts.byId('uid-cart.1'))?.review;
    expect(won).toStrictEqual({ status: 'fulfilled', value: standing });
    expect(lost).toMatchObject({ reason: { code: 'conflict', details: { review: standing } } });
  });

  test('stores a verdict and its comment together or not at all', async () => {
    await archive.record(lease, [sampleRecording(life, 1)], START_MS);
    const id = 'uid-cart.1';
    await archive.reviews.save(id, verdict({ by: 'ann' }), 0, { body: 'went **well**' });
    expect(await archive.reviews.comments(id)).toMatchObject([
      { by: 'ann', at: hour(9), body: 'went **well**' },
    ]);
    const late = archive.reviews.save(id, verdict({ by: 'ben', verdict: 'bad' }), 0, { body: 'lost?' });
    expect(await failureOf(late)).toMatchObject({ code: 'conflict' });
    const huge = archive.reviews.save(id, verdict({ verdict: 'bad' }), 1, { body: 'x'.repeat(1024 * 1024) });
    expect(await failureOf(huge)).toMatchObject({ code: 'too_large' });
    expect(await archive.reviews.comments(id)).toHaveLength(1);
    expect((await archive.rollouts.byId(id))?.review).toMatchObject({ version: 1, verdict: 'good' });
  });

  test('lists follow-ups by their day, until a later verdict closes them', async () => {
    await archive.record(lease, [sampleRecording(life, 3)], START_MS);
    const until = (due: string) => verdict({ verdict: 'followUp', followUp: { person: 'cid', due } });
    await archive.reviews.save('uid-cart.1', until('2026-03-10'), 0);
    await archive.reviews.save('uid-cart.2', until('2026-03-09'), 0);
    await archive.reviews.save('uid-cart.3', verdict(), 0);
    const due = async () =>
      (
        await archive.reviews.followUps({
          clusters: [{ cluster: 'prod', scopes: null }],
          assignees: null,
          limit: 10,
        })
      ).map(({ record }) => record.id);
    expect(await due()).toStrictEqual(['uid-cart.2', 'uid-cart.1']);
    await archive.reviews.save('uid-cart.2', verdict(), 1);
    expect(await due()).toStrictEqual(['uid-cart.1']);
  });

  test('each read is of one cluster, whatever else the archive holds', async () => {
    const other = sampleIncarnation('cart', { cluster: 'test', uid: 'uid-test', createdAt: hour(0) });
    await archive.record(lease, [sampleRecording(life, 2)], START_MS);
    await archive.record(await leaseOf('test'), [sampleRecording(other, 1)], START_MS);
    const followUp = verdict({ verdict: 'followUp', followUp: { person: 'cid', due: '2026-03-10' } });
    for (const id of ['uid-cart.1', 'uid-test.1']) await archive.reviews.save(id, followUp, 0);
    const idsIn = async (cluster: string) => {
      const { items } = await archive.rollouts.search({
        ...prodRecord,
        clusters: [{ cluster, scopes: null }],
      });
      const rollouts = await archive.reports.rollouts({
        cluster,
        sinceMs: 0,
        namespaces: null,
        before: null,
        limit: 9,
      });
      const due = await archive.reviews.followUps({
        clusters: [{ cluster, scopes: null }],
        assignees: null,
        limit: 9,
      });
      return {
        search: items.map(({ record }) => record.id),
        rollouts: rollouts.items.map(({ id }) => id),
        followUps: due.map(({ record }) => record.id),
        oldestAt: await archive.rollouts.oldestAt(cluster),
        count: await archive.rollouts.histogram(
          { ...prodRecord, clusters: [{ cluster, scopes: null }] },
          null,
        ),
      };
    };
    expect(await idsIn('prod')).toMatchObject({
      search: ['uid-cart.2', 'uid-cart.1'],
      rollouts: ['uid-cart.2', 'uid-cart.1'],
      followUps: ['uid-cart.1'],
      oldestAt: hour(1),
      count: [{ count: 2 }],
    });
    const ofTest = { search: ['uid-test.1'], rollouts: ['uid-test.1'], followUps: ['uid-test.1'] };
    expect(await idsIn('test')).toMatchObject({ ...ofTest, count: [{ count: 1 }] });
    expect(await idsIn('none')).toMatchObject({ search: [], rollouts: [], followUps: [], oldestAt: null });
  });

  test('searches more incarnations and namespaces than a statement has parameters', async () => {
    await archive.record(lease, [sampleRecording(life, 1)], START_MS);
    const many = Array.from({ length: 70_000 }, (_, index) => `__proto__-"${index}`);
    const foundAmong = async (uid: string, namespace: string) => {
      const places = [{ resource: life.resource, namespaces: [...many, namespace] }];
      const clusters = [{ cluster: 'prod', scopes: places }];
      const query = { ...prodRecord, uids: [...many, uid], clusters };
      const counted = await archive.rollouts.histogram(query, null);
      return [(await archive.rollouts.search(query)).items.length, counted.length];
    };
    expect(await foundAmong(life.uid, 'shop')).toStrictEqual([1, 1]);
    expect(await foundAmong('other', 'shop')).toStrictEqual([0, 0]);
    expect(await foundAmong(life.uid, 'Shop')).toStrictEqual([0, 0]);
  });

  test("applies the limit of follow-ups after leaving out those that the viewer can't see", async () => {
    const vault = sampleIncarnation('vault', { namespace: 'vault' });
    await archive.record(lease, [sampleRecording(vault, 3), sampleRecording(life, 1)], START_MS);
    const due = (day: string) => verdict({ verdict: 'followUp', followUp: { person: 'cid', due: day } });
    for (const index of [1, 2, 3]) await archive.reviews.save(`uid-vault.${index}`, due('2026-03-01'), 0);
    await archive.reviews.save('uid-cart.1', due('2026-03-10'), 0);
    const places = [{ resource: life.resource, namespaces: ['shop'] }];
    const listed = await archive.reviews.followUps({
      assignees: null,
      clusters: [{ cluster: 'prod', scopes: places }],
      limit: 2,
    });
    expect(listed.map(({ record }) => record.id)).toStrictEqual(['uid-cart.1']);
    expect(
      await archive.reviews.followUps({
        assignees: null,
        clusters: [{ cluster: 'prod', scopes: [] }],
        limit: 2,
      }),
    ).toStrictEqual([]);
  });

  test('a session is found until it ends or expires, and touching it prolongs it', async () => {
    const session = {
      ...{ idHash: 'a', actHash: 'b', person: 'user:ana', document: '{}', sealed: 'x' },
      ...{ seenMs: START_MS, expiresMs: START_MS + 1_000, version: 0, checkedMs: START_MS, login: null },
    };
    await archive.sessions.save(session, START_MS);
    expect(await archive.sessions.find('a', START_MS + 1_000)).toEqual(session);
    expect(await archive.sessions.find('a', START_MS + 1_001)).toBeUndefined();
    await archive.sessions.touch('a', START_MS + 500, START_MS + 5_000);
    expect(await archive.sessions.find('a', START_MS + 1_001)).toMatchObject({
      seenMs: START_MS + 500,
      expiresMs: START_MS + 5_000,
    });
    await archive.sessions.save({ ...session, idHash: 'c', expiresMs: START_MS + 9_000 }, START_MS + 6_000);
    // The expired one is deleted, not only left out.
    expect(await archive.sessions.find('a', START_MS)).toBeUndefined();
    await archive.sessions.end('c');
    expect(await archive.sessions.find('c', START_MS)).toBeUndefined();
  });

  test('a version of a session is renewed by one process, and by another once its time is over', async () => {
    const { sessions } = archive;
    const login = { issuer: 'https://login.example', subject: '17', sid: 's' };
    const session = {
      ...{ idHash: 'a', actHash: 'b', person: 'user:ana', document: '{}', sealed: 'x' },
      ...{ seenMs: START_MS, expiresMs: START_MS + 99_000, version: 0, checkedMs: START_MS, login },
    };
    await sessions.save(session, START_MS);
    const take = (owner: string, version: number, atMs: number) =>
      sessions.takeRenewal({ idHash: 'a', version, owner }, START_MS + atMs, START_MS + atMs + 15_000);
    const leases = await Promise.all(['p', 'q', 'r'].map((owner) => take(owner, 0, 1)));
    expect(leases.filter(Boolean)).toHaveLength(1);
    const owner = ['p', 'q', 'r'][leases.indexOf(true)] ?? '';
    expect(await take('z', 0, 15_001)).toBe(false);
    expect(await take('z', 0, 15_002)).toBe(true);
    await sessions.releaseRenewal({ idHash: 'a', version: 0, owner: 'z' });
    expect(await take('z', 0, 15_003)).toBe(true);
    // The first comes late: its credentials would replace newer ones.
    expect(await sessions.keepSealed({ idHash: 'a', version: 0, owner }, 'late')).toBe(false);
    const lease = { idHash: 'a', version: 0, owner: 'z' };
    expect(await sessions.keepSealed(lease, 'y')).toBe(true);
    expect(await sessions.find('a', START_MS)).toEqual({ ...session, sealed: 'y' });
    const renewed = { sealed: 'z', checkedMs: START_MS + 16_000 };
    expect(await sessions.renew(lease, renewed)).toBe(true);
    expect(await sessions.find('a', START_MS)).toEqual({ ...session, ...renewed, version: 1 });
    expect(await sessions.renew(lease, renewed)).toBe(false);
    expect([await take('p', 0, 17_000), await take('p', 1, 17_000)]).toEqual([false, true]);
  });

  test('people are found by a part of their name, each name once, the ones seen last in front', async () => {
    const { people } = archive;
    await people.saw({ id: 'token:ana', name: 'Ana.Ruiz' }, START_MS);
    await people.saw({ id: 'user:ben', name: '100%_ben' }, START_MS + 1);
    await people.saw({ id: 'oidc:ana', name: 'Ana.Ruiz' }, START_MS + 2);
    expect(await people.names('', 10)).toEqual(['Ana.Ruiz', '100%_ben']);
    expect(await people.names('a.RU', 10)).toEqual(['Ana.Ruiz']);
    expect(await people.names('%_', 10)).toEqual(['100%_ben']);
    expect(await people.names('_ruiz', 10)).toEqual([]);
    expect(await people.names('', 1)).toEqual(['Ana.Ruiz']);
    const anas = [
      { id: 'oidc:ana', name: 'Ana.Ruiz' },
      { id: 'token:ana', name: 'Ana.Ruiz' },
    ];
    expect(await people.named(['ana.ruiz', 'ana'], 10)).toEqual(anas);
    expect(await people.named(['ana.ruiz'], 1)).toHaveLength(1);
    expect(await people.named(['Ana.Ruiz'], 10)).toEqual([]);
    expect(await people.named([], 10)).toEqual([]);
    await people.saw({ id: 'user:ben', name: 'Ben' }, START_MS + 3);
    expect(await people.names('', 10)).toEqual(['Ben', 'Ana.Ruiz']);
  });

  test('preferences are those of one person, and of two browsers one saves over what it has read', async () => {
    const { preferences, people } = archive;
    const first = { namespaces: ['shop'], clusters: [] };
    const views = [{ name: 'My \u0000team', filters: { namespace: 'shop' } }];
    expect(await preferences.of('user:ana')).toEqual({ ...noPreferences });
    const saved = await preferences.save('user:ana', { views, initial: 'x', first }, 0, START_MS);
    expect(saved).toEqual({ views, initial: 'x', first, version: 1 });
    expect(await preferences.of('user:ana')).toEqual(saved);
    expect(await preferences.of('user:ben')).toEqual(noPreferences);
    const change = (version: number, initial: string, atMs = START_MS) =>
      preferences.save('user:ana', { views: [], initial, first }, version, atMs);
    const both = await Promise.allSettled([change(1, 'a'), change(1, 'b')]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const now = await preferences.of('user:ana');
    expect(now).toMatchObject({ views: [], version: 2 });
    for (const version of [0, 1, 3])
      await expect(change(version, 'c')).rejects.toMatchObject({
        code: 'conflict',
        details: { preferences: now },
      });
    // Someone who still comes keeps theirs, however old they are.
    await people.saw({ id: 'user:ana', name: 'ana' }, START_MS + YEAR_MS);
    await preferences.save('user:ben', noPreferences, 0, START_MS);
    await preferences.save('user:cid', noPreferences, 0, START_MS + YEAR_MS + 1);
    expect(await preferences.of('user:ana')).toEqual(now);
    expect((await preferences.of('user:ben')).version).toBe(0);
  });

  test('events are listed newest first, page by page: sign-ins of one person, reviews of some clusters', async () => {
    const sender = { issuer: null, subject: null, session: null, address: null, forwardedFor: null };
    const signIn = (number: number, id: string) => ({
      id: `s${number}`,
      entry: { at: hour(number), event: 'signIn' as const, by: { id, name: id }, reason: null, sender },
    });
    const review = {
      id: 'r',
      entry: { ...sampleReview, at: hour(2), workload: { ...sampleReview.workload, cluster: 'eu' } },
    };
    const events = [signIn(1, 'ana'), review, signIn(3, 'ben'), signIn(4, 'ana')];
    const journal = { id: 'file', bytes: 1, damaged: 0, mark: '', actions: [], events };
    await archive.actions.saveJournal(journal);
    await archive.actions.saveJournal(journal);
    const idsOf = async (query: Partial<EventQuery>) => {
      const any = { kind: null, clusters: ['eu'], person: null, limit: 10, cursor: null };
      return (await archive.events.list({ ...any, ...query })).map(({ id }) => id);
    };
    expect(await idsOf({})).toEqual(['s4', 's3', 'r', 's1']);
    expect(await idsOf({ person: 'ana' })).toEqual(['s4', 'r', 's1']);
    expect(await idsOf({ person: 'ana', kind: 'signIn' })).toEqual(['s4', 's1']);
    expect(await idsOf({ kind: 'review', clusters: [] })).toEqual([]);
    expect(await idsOf({ limit: 2 })).toEqual(['s4', 's3']);
    expect(await idsOf({ cursor: timeCursor(hour(3), 's3') })).toEqual(['r', 's1']);
  });

  test('sign-ins are deleted after 400 days', async () => {
    const sender = { issuer: null, subject: null, session: null, address: null, forwardedFor: null };
    const signIn = (id: string, at: string) => ({
      ...{ id, entry: { at, event: 'signIn' as const, by: null, reason: null, sender } },
    });
    const journal = { id: 'file', bytes: 1, damaged: 0, mark: '', actions: [] };
    await archive.actions.saveJournal({ ...journal, events: [signIn('a', hour(0))] });
    await archive.actions.saveJournal({ ...journal, events: [signIn('b', hour(401 * 24))] });
    const query = { kind: null, clusters: [], person: null, limit: 10, cursor: null };
    expect((await archive.events.list(query)).map(({ id }) => id)).toEqual(['b']);
  });

  test('people who were last seen a year ago are deleted', async () => {
    await archive.people.saw({ id: 'ana', name: 'ana' }, START_MS);
    await archive.people.saw({ id: 'ben', name: 'ben' }, START_MS + 366 * 24 * 3_600_000);
    expect(await archive.people.names('', 10)).toEqual(['ben']);
  });

  test('an identity provider ends the sessions of a person, or those of one browser', async () => {
    const { sessions } = archive;
    const issuer = 'https://login.example';
    const begin = (idHash: string, subject: string, sid: string | null, of = issuer, document = {}) =>
      sessions.save(
        {
          ...{ idHash, actHash: 'b', person: subject, document: JSON.stringify(document), sealed: 'x' },
          ...{ seenMs: START_MS, expiresMs: START_MS + 9_000, version: 0, checkedMs: START_MS },
          login: { issuer: of, subject, sid },
        },
        START_MS,
      );
    const end = (logins: { subject?: string; sid?: string }) =>
      sessions.endLogins({ issuer, subject: undefined, sid: undefined, untilMs: START_MS, ...logins });
    await begin('a1', 'ana', 's1');
    await begin('a2', 'ana', 's2');
    await begin('a3', 'ana', null, 'https://other.example');
    await begin('a4', 'ana', 's4', issuer, { signedInMs: START_MS });
    await begin('a5', 'ana\0', 's5\0', issuer, { signedInMs: START_MS + 1 });
    await begin('b', 'ben', 's3');
    const left = async () => {
      const found = ['a1', 'a2', 'a3', 'a4', 'a5', 'b'].map((idHash) => sessions.find(idHash, START_MS));
      return (await Promise.all(found)).flatMap((session) => session?.idHash ?? []);
    };
    expect(await end({ sid: 's1' })).toEqual(['a1']);
    expect(await left()).toEqual(['a2', 'a3', 'a4', 'a5', 'b']);
    expect(await end({ subject: 'ben', sid: 's2' })).toEqual([]);
    expect(await left()).toEqual(['a2', 'a3', 'a4', 'a5', 'b']);
    // Those of earlier versions do not say when the provider signed the person in.
    expect((await end({ subject: 'ana\0' })).toSorted()).toEqual(['a2', 'a4']);
    expect(await left()).toEqual(['a3', 'a5', 'b']);
  });

  test('each cluster has its own lease, under which no other cluster is recorded', async () => {
    const other = await leaseOf('test', 'two');
    expect(await archive.leases.acquire('two', START_MS, 'prod')).toBeNull();
    expect(await archive.leases.acquire(lease.holder, START_MS, 'test')).toBeNull();
    await archive.record(lease, [sampleRecording(life, 1)], START_MS);
    await expect(archive.record(other, [sampleRecording(life, 2)], START_MS)).rejects.toMatchObject({
      code: 'internal',
    });
    await archive.leases.release(other);
    expect(await archive.leases.acquire('three', START_MS, 'test')).toMatchObject({ epoch: 2 });
    expect(await archive.leases.acquire('two', START_MS, 'prod')).toBeNull();
    expect(await archive.rollouts.of(life)).toHaveLength(1);
  });

  test('a cluster that was restored from the backup of another has the same uids and its own history', async () => {
    const copy = { ...life, cluster: 'test' };
    const theirs = sampleRecording(copy, 3);
    const records = theirs.records.map((record) => ({ ...record, id: `copy.${record.activation}` }));
    const back = sampleRecord(copy, 4, { id: 'copy.4', to: sampleRecord(copy, 2).to });
    await archive.record(lease, [sampleRecording(life, 2)], START_MS);
    await archive.record(
      await leaseOf('test'),
      [{ ...theirs, incarnation: { ...copy, labels: {} }, records: [...records, back] }],
      START_MS,
    );
    for (const [of, count, ids] of [
      [life, 2, ['uid-cart.1', 'uid-cart.2']],
      [copy, 3, ['copy.1', 'copy.2', 'copy.3', 'copy.4']],
    ] as const) {
      expect(await archive.revisions.of(of)).toHaveLength(count);
      expect(await archive.workloads.activations(of)).toHaveLength(count);
      expect((await archive.rollouts.of(of)).map(({ record }) => record.id)).toStrictEqual(ids);
      expect((await archive.rollouts.summaries(of, 9)).map(({ id }) => id)).toStrictEqual(ids);
      expect((await archive.rollouts.transitions(of, 9, 9)).map(({ id }) => id)).toStrictEqual(ids);
      expect((await archive.rollouts.tracks(of, 9, null)).map(({ summary }) => summary.id)).toEqual(ids);
      expect((await archive.rollouts.latestSummaries(of.cluster, '', 9)).map(({ id }) => id)).toEqual([
        ids.at(-1),
      ]);
      expect(await archive.rollouts.adjacent(of, 2)).toStrictEqual({
        previous: ids[0],
        next: ids[2] ?? null,
      });
      expect(await archive.workloads.labels(of.cluster, [of.uid])).toStrictEqual(
        new Map([[of.uid, of === life ? life.labels : {}]]),
      );
    }
    expect([...(await archive.rollouts.reverted(['uid-cart.2', 'copy.4'])).keys()]).toStrictEqual(['copy.4']);
    expect((await archive.rollouts.byId('copy.3'))?.revertedBy).toBe('copy.4');
    expect((await archive.rollouts.byId('uid-cart.2'))?.revertedBy).toBeNull();
    expect([...(await archive.reports.revertTimes(['uid-cart.2', 'copy.3'])).keys()]).toEqual(['copy.3']);
  });

  test('knows each cluster that was observed, by its last name and every id that led to it', async () => {
    const [first, later] = [START_MS, START_MS + 60_000];
    await archive.clusters.saw({ id: 'prod', name: 'production', aliases: [] }, first);
    await archive.clusters.saw({ id: 'prod', name: 'prod-eu', aliases: ['hash-1'] }, later);
    await archive.clusters.saw({ id: 'prod', name: 'prod-eu', aliases: ['hash-2', 'hash-1'] }, later);
    await archive.clusters.saw({ id: 'test', name: 'test', aliases: [] }, first);
    expect(await archive.clusters.list()).toMatchObject([
      {
        id: 'prod',
        name: 'prod-eu',
        aliases: ['hash-1', 'hash-2'],
        firstSeenAt: isoTime(first),
        lastSeenAt: isoTime(later),
      },
      { id: 'test', aliases: [] },
    ]);
  });

  test('an id belongs to one entry of the configuration, of several that ask at once to the first', async () => {
    const { clusters } = archive;
    const entryOf = (name: string) => ({
      name,
      source: `kubeconfig /kube/${name}`,
      at: isoTime(START_MS),
      server: 'https://api.example',
      hash: 'hash-1',
      moved: null,
    });
    const names = ['eu', 'us', 'dev', 'edge'];
    const answers = await Promise.all(
      names.map((name) => clusters.bind('prod', entryOf(name), null, START_MS)),
    );
    expect(answers.filter(Boolean)).toHaveLength(1);
    const owner = names[answers.indexOf(true)] ?? '';
    const other = names.find((name) => name !== owner) ?? '';
    // Whoever records it as well changes nothing about that.
    await Promise.all([
      clusters.saw({ id: 'prod', name: owner, aliases: ['hash-1'] }, START_MS),
      clusters.bind('prod', entryOf(owner), entryOf(owner), START_MS),
    ]);
    expect(await clusters.list()).toMatchObject([
      { id: 'prod', name: owner, aliases: ['hash-1'], entry: entryOf(owner) },
    ]);
    expect(await clusters.bind('prod', entryOf(other), entryOf(other), START_MS)).toBe(false);
    expect(await clusters.bind('prod', entryOf(other), entryOf(owner), START_MS)).toBe(true);
    await clusters.saw({ id: 'prod', name: other, aliases: [] }, START_MS);
    expect(await clusters.list()).toMatchObject([{ id: 'prod', entry: { name: other } }]);
  });

  test('a record has its adjacent records in the same incarnation', async () => {
    await archive.record(lease, [sampleRecording(life, 3)], START_MS);
    const ids = (index: number) => archive.rollouts.adjacent(life, index);
    expect(await ids(1)).toStrictEqual({ previous: null, next: 'uid-cart.2' });
    expect(await ids(2)).toStrictEqual({ previous: 'uid-cart.1', next: 'uid-cart.3' });
    expect(await ids(3)).toStrictEqual({ previous: 'uid-cart.2', next: null });
    expect(await archive.rollouts.adjacent({ cluster: 'prod', uid: 'nothing' }, 1)).toStrictEqual({
      previous: null,
      next: null,
    });
  });

  test('counts rollouts page by page from their records', async () => {
    const stuck = { kind: 'stuck', from: hour(2), to: hour(3), reason: 'no image' } as const;
    const records = [
      sampleRecord(life, 1, { cause: null }),
      sampleRecord(life, 2, { spans: [stuck], outcome: 'failed', cause: 'why' }),
      sampleRecord(life, 3, { startedAt: null, startedNotAfter: hour(3), outcome: null, endedAt: null }),
      sampleRecord(life, 4, { startedAt: null, startedNotAfter: null }),
    ];
    await archive.record(lease, [{ incarnation: life, revisions: [], activations: [], records }], START_MS);
    await archive.reviews.save('uid-cart.1', verdict(), 0);
    const ask = { cluster: 'prod', sinceMs: 0, namespaces: ['shop'], before: null, limit: 2 };
    const first = await archive.reports.rollouts(ask);
    const second = await archive.reports.rollouts({ ...ask, before: first.next });
    expect(second.next).toBeNull();
    expect([...first.items, ...second.items]).toMatchObject([
      { id: 'uid-cart.3', isStartKnown: false, outcome: null, endedMs: null },
      { id: 'uid-cart.2', wasStuck: true, outcome: 'failed', hasCause: true, isReviewed: false },
      { id: 'uid-cart.1', wasStuck: false, hasCause: false, isReviewed: true, isStartKnown: true },
    ]);
    expect(first.items[1]?.endedMs).toBe(Date.parse(records[1]?.endedAt ?? ''));
    expect((await archive.reports.rollouts({ ...ask, namespaces: ['other'] })).items).toStrictEqual([]);
    expect((await archive.workloads.labels('prod', [life.uid])).get(life.uid)).toStrictEqual(life.labels);
    const { cluster, resource, namespace, name } = life;
    expect(await archive.reports.workloads(['uid-cart.1', 'uid-cart.2', 'nothing'])).toStrictEqual(
      new Map([[life.uid, { cluster, resource, namespace, name }]]),
    );
  });

  test.each(['in order', 'in any order, as an import brings them'])(
    'tells a rollout to a template that was the target before from a change: %s',
    async (how) => {
      const refOf = (number: number) => ({ number, id: `rs-${number}`, hash: `hash-${number}` });
      const way = (index: number, from: number | null, to: number) =>
        sampleRecord(life, index, { from: from === null ? null : refOf(from), to: refOf(to) });
      const other = sampleIncarnation('pay');
      const records = [
        way(1, null, 1),
        way(2, 1, 2),
        way(3, 2, 1),
        way(4, 1, 1),
        way(5, 1, 3),
        sampleRecord(other, 1, { from: refOf(2), to: refOf(1) }),
      ];
      const written = how === 'in order' ? [records] : records.toReversed().map((record) => [record]);
      for (const part of written)
        await archive.record(
          lease,
          [{ incarnation: life, revisions: [], activations: [], records: part }],
          START_MS,
        );
      const { items } = await archive.reports.rollouts({
        cluster: 'prod',
        sinceMs: 0,
        namespaces: null,
        before: null,
        limit: 10,
      });
      expect(items.filter(({ isReturn }) => isReturn).map(({ id }) => id)).toStrictEqual(['uid-cart.3']);
    },
  );

  test('a rollout was reverted by the first later one of its incarnation that led to the template it replaced', async () => {
    const refs = (from: number, to: number) => ({ from: refOf(from), to: refOf(to) });
    const refOf = (number: number) => ({ number, id: `rs-${number}`, hash: `hash-${number}` });
    const records = [
      sampleRecord(life, 2, refs(1, 2)),
      sampleRecord(life, 3, { ...refs(2, 1), startedAt: null, startedNotAfter: null }),
      sampleRecord(life, 4, refs(1, 1)),
      sampleRecord(life, 5, refs(1, 3)),
      sampleRecord(life, 6, refs(3, 1)),
      sampleRecord(life, 7, refs(1, 2)),
    ];
    const other = sampleIncarnation('other');
    await archive.record(lease, [{ incarnation: life, revisions: [], activations: [], records }], START_MS);
    await archive.record(
      lease,
      [{ incarnation: other, revisions: [], activations: [], records: [sampleRecord(other, 8, refs(2, 1))] }],
      START_MS,
    );
    const ids = ['2', '3', '4', '5', '7'].map((number) => `uid-cart.${number}`);
    expect(await archive.reports.revertTimes([...ids, 'nothing'])).toStrictEqual(
      new Map([
        ['uid-cart.2', Date.parse(hour(4))],
        ['uid-cart.3', Date.parse(hour(7))],
        ['uid-cart.5', Date.parse(hour(6))],
      ]),
    );
    expect(await archive.reports.revertTimes([])).toStrictEqual(new Map());
  });

  test('a verdict that replaces another keeps it, and must name the current version', async () => {
    await archive.record(lease, [sampleRecording(life, 1)], START_MS);
    const first = verdict({ verdict: 'followUp', followUp: { person: 'cid', due: '2026-03-09' } });
    expect(await archive.reviews.save('uid-cart.1', first, 0)).toStrictEqual({
      ...first,
      version: 1,
      history: [],
    });
    const second = await archive.reviews.save('uid-cart.1', verdict(), 1);
    expect(second).toStrictEqual({ ...verdict(), version: 2, history: [first] });
    expect(await failureOf(archive.reviews.save('uid-cart.1', verdict(), 1))).toMatchObject({
      code: 'conflict',
      details: { review: second },
    });
    expect(await failureOf(archive.reviews.save('nothing', verdict(), 0))).toMatchObject({
      code: 'not_found',
    });
  });

  test('recording a rollout again leaves its pin, verdict and comments alone', async () => {
    await archive.record(lease, [sampleRecording(life, 1)], START_MS);
    await archive.rollouts.pin('uid-cart.1', true);
    const review = await archive.reviews.save('uid-cart.1', verdict(), 0);
    await archive.reviews.addComment(comment('fine'));
    await archive.record(lease, [sampleRecording({ ...life, deletedAt: hour(3) }, 1)], START_MS);
    expect(await archive.rollouts.byId('uid-cart.1')).toMatchObject({
      record: { pinned: true },
      review,
      comments: 1,
    });
    expect(await failureOf(archive.rollouts.pin('nothing', true))).toMatchObject({ code: 'not_found' });
  });

  test('lists comments in order, keeps their earlier texts, and accepts replies only within a record', async () => {
    await archive.record(lease, [sampleRecording(life, 2)], START_MS);
    const second = await archive.reviews.addComment(comment('second', hour(9)));
    const first = await archive.reviews.addComment(comment('first', hour(8)));
    const answer = await archive.reviews.addComment(comment('to the second', hour(10), second.id));
    const edited = await archive.reviews.editComment(
      first.id,
      { body: 'zeroth', mentions: [] },
      { by: 'ann', at: hour(11) },
    );
    expect(edited).toStrictEqual({
      ...first,
      body: 'zeroth',
      mentions: [],
      edits: [{ at: hour(11), by: 'ann', body: 'first' }],
    });
    expect(await archive.reviews.comments('uid-cart.1')).toStrictEqual([edited, second, answer]);
    const elsewhere = { ...comment('no', hour(9), second.id), recordId: 'uid-cart.2' };
    expect(await failureOf(archive.reviews.addComment(elsewhere))).toMatchObject({ code: 'bad_request' });
  });

  test('a record is found for the people whom its comments mention now, and recording it again keeps that', async () => {
    await archive.record(lease, [sampleRecording(life, 2)], START_MS);
    const mentionsOf = (...ids: string[]) => ids.map((id) => ({ id, name: id }));
    const found = async (...mentions: string[]) =>
      (await archive.rollouts.search({ ...prodRecord, mentions })).items.map(({ record }) => record.id);
    const id = 'uid-cart.1';
    await archive.reviews.save(id, verdict(), 0, { body: '@ann', mentions: mentionsOf('ann') });
    const second = await archive.reviews.addComment({
      ...comment('@ben'),
      mentions: mentionsOf('ann', 'ben'),
    });
    await archive.record(
      lease,
      [sampleRecording({ ...life, name: 'cart', deletedAt: hour(3) }, 2)],
      START_MS,
    );
    expect(await found('ann')).toStrictEqual([id]);
    expect(await found('ben', 'eve')).toStrictEqual([id]);
    expect(await found('eve')).toStrictEqual([]);
    expect(await found()).toStrictEqual([]);
    const edit = { by: 'ann', at: hour(11) };
    await archive.reviews.editComment(second.id, { body: '@cid', mentions: mentionsOf('cid') }, edit);
    expect(await found('ben')).toStrictEqual([]);
    expect(await found('ann')).toStrictEqual([id]);
    expect(await found('cid')).toStrictEqual([id]);
    expect((await archive.rollouts.search({ ...prodRecord, words: ['mention'] })).items).toStrictEqual([]);
  });

  test('follow-ups of one assignee are those of their name, whatever its case, and are counted', async () => {
    await archive.record(lease, [sampleRecording(life, 3)], START_MS);
    const clusters = [{ cluster: 'prod', scopes: null }];
    for (const [index, person] of ['Ann.Lee', 'ann.lee ', 'Änne'].entries()) {
      const followUp = { person, due: `2026-03-1${index}` };
      await archive.reviews.save(`uid-cart.${index + 1}`, verdict({ verdict: 'followUp', followUp }), 0);
    }
    const listed = async (...assignees: string[]) =>
      (await archive.reviews.followUps({ clusters, assignees, limit: 10 })).map(({ record }) => record.id);
    expect(await listed('ANN.lee', 'ben')).toStrictEqual(['uid-cart.1', 'uid-cart.2']);
    expect(await listed('Änne')).toStrictEqual(['uid-cart.3']);
    expect(await listed("'; drop table review; --")).toStrictEqual([]);
    expect(await listed()).toStrictEqual([]);
    expect(await archive.reviews.followUpCount({ clusters, assignees: ['ann.lee'] })).toBe(2);
    expect(await archive.reviews.followUpCount({ clusters, assignees: null })).toBe(3);
    expect(await archive.reviews.followUpCount({ clusters: [], assignees: null })).toBe(0);
  });

  test('verdicts, comments and edits keep the id of their author, and are readable without one', async () => {
    await archive.record(lease, [sampleRecording(life, 1)], START_MS);
    const id = 'uid-cart.1';
    await archive.reviews.save(id, verdict({ by: 'ann', byId: 'user:ann' }), 0, { body: 'fine' });
    await archive.reviews.save(id, verdict({ by: 'ben' }), 1, { body: 'so so' });
    // Both were written in the same millisecond.
    const comments = await archive.reviews.comments(id);
    const first = comments.find(({ body }) => body === 'fine');
    const second = comments.find(({ body }) => body === 'so so');
    expect([first?.byId, second?.byId]).toStrictEqual(['user:ann', undefined]);
    const edit = { by: 'ann', byId: 'user:ann', at: hour(11) };
    const edited = await archive.reviews.editComment(first?.id ?? '', { body: 'good', mentions: [] }, edit);
    expect(edited).toMatchObject({ byId: 'user:ann', edits: [{ ...edit, body: 'fine' }] });
    const review = (await archive.rollouts.byId(id))?.review;
    expect([review?.byId, review?.history[0]?.byId]).toStrictEqual([undefined, 'user:ann']);
  });

  test('a record takes a bounded number of comments, and each a bounded number of edits', async () => {
    await archive.record(lease, [sampleRecording(life, 1)], START_MS);
    for (let count = 0; count < 500; count += 1) await archive.reviews.addComment(comment(`${count}`));
    expect(await failureOf(archive.reviews.addComment(comment('one more')))).toMatchObject({
      code: 'too_large',
    });
    const [first] = await archive.reviews.comments('uid-cart.1');
    const id = first?.id ?? '';
    for (let count = 0; count < 50; count += 1)
      await archive.reviews.editComment(id, { body: `${count}`, mentions: [] }, { by: 'ann', at: hour(9) });
    const again = archive.reviews.editComment(
      id,
      { body: 'once more', mentions: [] },
      { by: 'ann', at: hour(9) },
    );
    expect(await failureOf(again)).toMatchObject({ code: 'too_large' });
    expect((await archive.reviews.comments('uid-cart.1'))[0]?.body).toBe('49');
  });

  test('rejects comments that are too long, empty or of no record, with nothing lost', async () => {
    await archive.record(lease, [sampleRecording(life, 1)], START_MS);
    const kept = await archive.reviews.addComment(comment('kept'));
    const huge = 'x'.repeat(1024 * 1024);
    const refusals = await Promise.all([
      failureOf(archive.reviews.addComment(comment(huge))),
      failureOf(
        archive.reviews.editComment(kept.id, { body: huge, mentions: [] }, { by: 'ann', at: hour(9) }),
      ),
      failureOf(archive.reviews.addComment(comment(' \n'))),
      failureOf(archive.reviews.addComment({ ...comment('x'), recordId: 'nothing' })),
      failureOf(
        archive.reviews.editComment('nothing', { body: 'x', mentions: [] }, { by: 'ann', at: hour(9) }),
      ),
      failureOf(archive.reviews.comments('nothing')),
    ]);
    expect(refusals.map(({ code }) => code)).toStrictEqual([
      'too_large',
      'too_large',
      'bad_request',
      'not_found',
      'not_found',
      'not_found',
    ]);
    expect(await archive.reviews.comments('uid-cart.1')).toStrictEqual([kept]);
  });

  test('a record names the first later one that led back to the template it had replaced', async () => {
    const back = sampleRecord(life, 3, { to: sampleRecord(life, 1).to, from: sampleRecord(life, 2).to });
    const again = sampleRecord(life, 4, { to: sampleRecord(life, 1).to, from: sampleRecord(life, 1).to });
    const records = [sampleRecord(life, 1), sampleRecord(life, 2), back, again];
    await archive.record(lease, [{ incarnation: life, revisions: [], activations: [], records }], START_MS);
    const listed = await archive.rollouts.of(life);
    expect(listed.map(({ revertedBy }) => revertedBy)).toStrictEqual([null, back.id, null, null]);
  });

  test('a return to an earlier template knows the first rollout that it reverts, and how many came after', async () => {
    const at = (index: number, from: number, to: number) =>
      sampleRecord(life, index, { from: sampleRecord(life, from).to, to: sampleRecord(life, to).to });
    const first = sampleRecord(life, 1, { from: null });
    const others = [at(2, 1, 2), at(3, 2, 3), at(4, 3, 1), at(5, 1, 1), at(6, 1, 2), at(7, 2, 1)];
    const records = [first, ...others];
    await archive.record(lease, [{ incarnation: life, revisions: [], activations: [], records }], START_MS);
    const returns = await archive.rollouts.reverted([...records.map(({ id }) => id), 'unknown']);
    const told = [...returns].map(([id, taken]) => [id, taken.first.id, taken.others]);
    expect(told.sort()).toStrictEqual([
      ['uid-cart.4', 'uid-cart.2', 1],
      ['uid-cart.6', 'uid-cart.3', 2],
      ['uid-cart.7', 'uid-cart.6', 0],
    ]);
  });

  test.each([
    ['other bytes of the same meaning', (number: number) => ({ meaning: `1:${number}` })],
    ['the same bytes, where nothing tells what they mean', () => ({})],
  ])('recognizes a return to an earlier template by %s', async (how, told) => {
    const isRewritten = how.startsWith('other');
    const ref = (number: number, written: string) => ({
      ...{ number, id: `rs-${number}-${written}`, hash: isRewritten ? `${number}-${written}` : `${number}` },
      ...told(number),
    });
    const records = [
      sampleRecord(life, 1, { from: null, to: ref(1, 'defaulted') }),
      sampleRecord(life, 2, { from: ref(1, 'short'), to: ref(2, 'short') }),
      sampleRecord(life, 3, { from: ref(2, 'defaulted'), to: ref(1, 'short') }),
      // Only the notation differs.
      sampleRecord(life, 4, { from: ref(1, 'short'), to: ref(1, 'defaulted') }),
    ];
    await archive.record(lease, [{ incarnation: life, revisions: [], activations: [], records }], START_MS);
    const listed = await archive.rollouts.of(life);
    expect(listed.map(({ revertedBy }) => revertedBy)).toStrictEqual([null, 'uid-cart.3', null, null]);
    const marks = await archive.rollouts.summaries(life, 10);
    expect(marks.map(({ revertedBy }) => revertedBy)).toStrictEqual([null, 'uid-cart.3', null, null]);
    const ids = records.map(({ id }) => id);
    const returns = await archive.rollouts.reverted(ids);
    expect([...returns].map(([id, { first, others }]) => [id, first.id, others])).toStrictEqual([
      ['uid-cart.3', 'uid-cart.2', 0],
    ]);
    expect(await archive.reports.revertTimes(ids)).toStrictEqual(
      new Map([['uid-cart.2', Date.parse(hour(3))]]),
    );
    const ask = { cluster: 'prod', sinceMs: 0, namespaces: null, before: null, limit: 10 };
    const { items } = await archive.reports.rollouts(ask);
    expect(items.filter(({ isReturn }) => isReturn).map(({ id }) => id)).toStrictEqual(['uid-cart.3']);
  });

  test('reads transitions without opening a record, and the record summaries of named ids', async () => {
    await archive.record(lease, [sampleRecording(life, 5)], START_MS);
    const template = (number: number) => ({
      hash: hashOf('cart', number),
      meaning: meaningOf('cart', number),
    });
    expect(await archive.rollouts.transitions(life, 4, 2)).toStrictEqual([
      { id: 'uid-cart.2', from: template(1), to: template(2) },
      { id: 'uid-cart.3', from: template(2), to: template(3) },
    ]);
    const [mark] = await archive.rollouts.summariesById(['uid-cart.3', 'nothing']);
    const marks = await archive.rollouts.summaries(life, 5);
    expect(mark).toStrictEqual({ ...marks[2], revertedBy: null, verdict: null });
    expect(await archive.rollouts.summariesById([])).toStrictEqual([]);
    const bodies = await archive.revisions.bodies([hashOf('cart', 2), hashOf('cart', 2), 'nothing']);
    expect(bodies).toStrictEqual(new Map([[hashOf('cart', 2), sampleBody('cart', 2)]]));
  });

  test('a cursor continues where the page ended, and an invalid one is rejected', async () => {
    const records = [1, 2, 3, 4, 5].map((index) => sampleRecord(life, index));
    const unknown = sampleRecord(life, 6, { startedAt: null });
    const tied = sampleRecord(life, 7, { startedAt: null, startedNotAfter: hour(3) });
    const all = [...records, unknown, tied];
    await archive.record(
      lease,
      [{ incarnation: life, revisions: [], activations: [], records: all }],
      START_MS,
    );
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await archive.rollouts.search({ ...prodRecord, limit: 2, cursor });
      seen.push(...page.items.map(({ record }) => record.id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toStrictEqual([5, 4, 7, 3, 2, 1, 6].map((index) => `uid-cart.${index}`));
    for (const bad of ['', 'x', Buffer.from('[1]').toString('base64url')])
      expect(await failureOf(archive.rollouts.search({ ...prodRecord, cursor: bad }))).toMatchObject({
        code: 'bad_request',
      });
  });

  test('bodies and series expire by age and count, unless in the cluster, open, pinned, reviewed or commented', async () => {
    const day = 24;
    const record = (index: number, change = {}) =>
      sampleRecord(life, index, { startedAt: hour(index * day), ...change });
    const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    const recording = {
      incarnation: life,
      revisions: numbers.map((number) => ({
        revision: sampleRevision(life, number, { prunedAt: number < 9 ? hour(number * day) : null }),
        body: sampleBody('cart', number),
      })),
      activations: [sampleActivation(life, 9)],
      records: numbers.map((number) => record(number, { outcome: number === 9 ? null : 'completed' })),
    };
    await archive.record(lease, [recording], START_MS);
    await archive.rollouts.pin('uid-cart.2', true);
    await archive.reviews.save('uid-cart.4', verdict(), 0);
    const nowMs = START_MS + 10 * day * 3_600_000;
    const kept = async () => {
      const bodies = await Promise.all(
        numbers.map((number) => archive.revisions.body(hashOf('cart', number))),
      );
      return numbers.filter((_, index) => bodies[index] !== null);
    };
    const series = async () =>
      (await archive.rollouts.of(life))
        .filter(({ record: { samples } }) => samples.length > 0)
        .map(({ record: { activation } }) => activation);

    expect(await archive.retention.expire(lease, { days: 0, perWorkload: 0 }, nowMs)).toStrictEqual({
      bodies: 0,
      series: 0,
    });
    // The seventh to ninth are young enough, and so is the template that the seventh replaced; of the rest people keep
    // 1 to 4.
    await archive.retention.expire(lease, { days: 3, perWorkload: 0 }, nowMs);
    expect(await kept()).toStrictEqual([1, 2, 3, 4, 6, 7, 8, 9]);
    expect(await series()).toStrictEqual([2, 4, 7, 8, 9]);
    await archive.retention.expire(lease, { days: 0, perWorkload: 1 }, nowMs);
    expect(await kept()).toStrictEqual([1, 2, 3, 4, 8, 9]);
    expect(await series()).toStrictEqual([2, 4, 9]);
    expect((await archive.rollouts.of(life)).map((each) => each.record.summary)).toStrictEqual(
      recording.records.map(({ summary }) => summary),
    );
    const stale = archive.retention.expire(
      { ...lease, epoch: lease.epoch + 1 },
      { days: 1, perWorkload: 1 },
      nowMs,
    );
    expect(await failureOf(stale)).toMatchObject({ code: 'conflict' });
  });

  test('reports its size, and only its user can read the file', async () => {
    expect(await archive.sizeBytes()).toBeGreaterThan(0);
    if (place.databaseUrl !== undefined) return;
    await archive.record(lease, [sampleRecording(life, 1)], START_MS);
    const modes = ['', '-wal', '-shm'].map(
      (suffix) => statSync(join(place.dataDir, ARCHIVE_FILE + suffix)).mode & 0o777,
    );
    expect(modes).toStrictEqual([0o600, 0o600, 0o600]);
  });
});
