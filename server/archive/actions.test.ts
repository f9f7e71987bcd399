import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ActionQuery } from '@/server/archive/actions';
import type { Archive } from '@/server/archive/archive';
import type { ArchivedAction } from '@/lib/api/action';
import type { Lease } from '@/server/archive/lease';
import { openArchive } from '@/server/archive/open';
import { enginesUnderTest, type TestDatabase } from '@/server/archive/testing/engines';
import { anyAction, sampleAction } from '@/server/archive/testing/sample-actions';
import {
  hour,
  sampleIncarnation,
  sampleRecord,
  sampleRecording,
  START_MS,
} from '@/server/archive/testing/samples';

const { engines, stop } = await enginesUnderTest();
afterAll(stop);

describe.each(engines)('on $engine', ({ createDatabase: makePlace }) => {
  let place: TestDatabase;
  let archive: Archive;

  beforeEach(async () => {
    place = await makePlace();
    archive = await openArchive(place);
  });
  afterEach(async () => {
    await archive.close();
    await place.remove();
  });

  const save = (...actions: ArchivedAction[]) =>
    archive.actions.saveJournal({ id: 'file', bytes: 100, damaged: 0, mark: 'm', actions, events: [] });

  async function idsOf(query: Partial<ActionQuery> = {}): Promise<string[]> {
    const { items } = await archive.actions.list({ ...anyAction, ...query });
    return items.map(({ action }) => action.id);
  }

  test('stores an action completely, with how far its file has been read, also after another opening', async () => {
    const refused = sampleAction(
      2,
      { state: 'refused', message: 'It is paused.\u0000\ud800' },
      {
        code: 'refused',
        apiMessage: 'no',
        identity: { user: 'ann', groups: ['ops'] },
        origin: 'https://shiplog.example',
        findings: [{ code: 'paused', message: 'It is paused.' }],
      },
    );
    expect(await archive.actions.journal('file')).toStrictEqual({ bytes: 0, damaged: 0, mark: '' });
    await archive.actions.saveJournal({
      id: 'file',
      bytes: 2 ** 40,
      damaged: 3,
      mark: 'm',
      actions: [refused],
      events: [],
    });
    await archive.close();
    archive = await openArchive(place);
    expect(await archive.actions.journal('file')).toStrictEqual({ bytes: 2 ** 40, damaged: 3, mark: 'm' });
    expect(await archive.actions.journal('other')).toStrictEqual({ bytes: 0, damaged: 0, mark: '' });
    expect((await archive.actions.list(anyAction)).items).toMatchObject([{ ...refused, recordId: null }]);
  });

  test('lists an action once, in its latest state, in whatever order it was written', async () => {
    const begun = sampleAction(1, { state: 'accepted', endedAt: null }, { at: hour(1) });
    const done = sampleAction(1, {}, { at: hour(1.5) });
    await save(done);
    await save(begun);
    await save(begun, done);
    const { items } = await archive.actions.list(anyAction);
    expect(items.map(({ action }) => action.state)).toStrictEqual(['done']);
    expect(await archive.actions.byId(done.action.id)).toStrictEqual(done.action);
    expect(await archive.actions.byId('unknown')).toBeNull();
  });

  test('finds an action by the rollout that it began', async () => {
    const lease = (await archive.leases.acquire('one', START_MS, 'prod')) as Lease;
    const incarnation = sampleIncarnation();
    const records = [sampleRecord(incarnation, 1), sampleRecord(incarnation, 2, { actionId: 'action-2' })];
    await archive.record(lease, [{ ...sampleRecording(incarnation, 2), records }], START_MS);
    await save(sampleAction(1), sampleAction(2));
    const { items } = await archive.actions.list(anyAction);
    expect(items.map(({ recordId }) => recordId)).toStrictEqual(['uid-cart.2', null]);
  });

  test('every filter leaves out what it excludes', async () => {
    await save(
      sampleAction(1),
      sampleAction(2, { namespace: 'vault' }),
      sampleAction(3, { actor: 'ben' }),
      sampleAction(4, { state: 'failed' }),
      sampleAction(5, { action: 'restart' }),
      sampleAction(6, { name: 'pay' }),
      sampleAction(7, { resource: 'statefulsets.apps' }),
      sampleAction(8, { cluster: 'other' }),
    );
    const all = [7, 6, 5, 4, 3, 2, 1].map((number) => `action-${number}`);
    expect(await idsOf()).toStrictEqual(all);
    expect(await idsOf({ clusters: ['other'] })).toStrictEqual(['action-8']);
    expect(await idsOf({ clusters: ['other', 'prod'] })).toStrictEqual(['action-8', ...all]);
    expect(await idsOf({ clusters: [] })).toStrictEqual([]);
    expect(await idsOf({ namespace: 'vault' })).toStrictEqual(['action-2']);
    expect(await idsOf({ actor: 'ben' })).toStrictEqual(['action-3']);
    expect(await idsOf({ states: ['failed', 'refused'] })).toStrictEqual(['action-4']);
    expect(await idsOf({ kinds: ['restart'] })).toStrictEqual(['action-5']);
    expect(await idsOf({ name: 'pay' })).toStrictEqual(['action-6']);
    expect(await idsOf({ resource: 'statefulsets.apps' })).toStrictEqual(['action-7']);
    const [sinceMs, untilMs] = [3, 5].map((number) => Date.parse(hour(number)));
    expect(await idsOf({ sinceMs, untilMs })).toStrictEqual(['action-4', 'action-3']);
  });

  test('the next page starts where the previous one ended, also among actions of the same millisecond', async () => {
    const at = { startedAt: hour(1) };
    await save(...[1, 2, 3, 4, 5].map((number) => sampleAction(number, at)));
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await archive.actions.list({ ...anyAction, limit: 2, cursor });
      seen.push(...page.items.map(({ action }) => action.id));
      cursor = page.nextCursor;
      await save(sampleAction(10 + seen.length));
    } while (cursor !== null);
    expect(seen).toStrictEqual(['action-5', 'action-4', 'action-3', 'action-2', 'action-1']);
    await expect(archive.actions.list({ ...anyAction, cursor: 'gone' })).rejects.toMatchObject({
      code: 'bad_request',
    });
  });
});
