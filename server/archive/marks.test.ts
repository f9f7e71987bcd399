import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { markOfRecord } from '@/lib/ledger/mark';
import { type Archive } from '@/server/archive/archive';
import { openArchive } from '@/server/archive/open';
import { enginesUnderTest, type Place } from '@/server/archive/testing/engines';
import { hour, sampleLife, sampleRecord, sampleRecording, START_MS } from '@/server/archive/testing/samples';

const { engines, stop } = await enginesUnderTest();
afterAll(stop);

describe.each(engines)('marks of records in $engine', ({ makePlace }) => {
  let place: Place;
  let archive: Archive;

  beforeEach(async () => {
    place = await makePlace();
    archive = await openArchive(place);
    const lease = await archive.acquire('test', START_MS, 'prod');
    const lives = [sampleLife('cart'), sampleLife('web'), sampleLife('gone', { deletedAt: hour(9) })];
    if (lease !== null) {
      const recordings = lives.map((life) => sampleRecording(life, 3));
      await archive.record(lease, recordings, START_MS);
    }
  });

  afterEach(async () => {
    await archive.close();
    await place.remove();
  });

  test('are the latest of one life, in order, as the records say', async () => {
    const life = sampleLife('cart');
    expect(await archive.marks(life.uid, 2)).toEqual([
      markOfRecord(sampleRecord(life, 2)),
      markOfRecord(sampleRecord(life, 3)),
    ]);
  });

  test('are the last of each life that goes on, in pages', async () => {
    const first = await archive.latestMarks('prod', '', 1);
    expect(first).toEqual([markOfRecord(sampleRecord(sampleLife('cart'), 3))]);
    const second = await archive.latestMarks('prod', 'uid-cart', 10);
    expect(second.map(({ id }) => id)).toEqual(['uid-web.3']);
    expect(await archive.latestMarks('other', '', 10)).toEqual([]);
  });

  test('are those begun since, and those asked for', async () => {
    const marks = await archive.changedMarks('prod', Date.parse(hour(3)), ['uid-cart.1']);
    const ids = ['uid-cart.1', 'uid-cart.3', 'uid-gone.3', 'uid-web.3'];
    expect(marks.map(({ id }) => id).sort()).toEqual(ids);
  });

  test('come with the pods over time for a track', async () => {
    const tracks = await archive.tracks('uid-cart', 50, Date.parse(hour(2)));
    expect(tracks.map(({ mark, samples }) => [mark.to.number, samples.length])).toEqual([
      [2, 1],
      [3, 1],
    ]);
  });

  test('tell which bodies are whole', async () => {
    const hashes = (await archive.revisions('uid-cart')).map(({ hash }) => hash);
    expect(await archive.wholeBodies([...hashes, 'unknown'])).toEqual(new Set(hashes));
    expect(await archive.wholeBodies([])).toEqual(new Set());
  });
});
