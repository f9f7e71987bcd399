import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { summarizeRecord } from '@/lib/records/testing/summarize-record';
import type { Archive } from '@/server/archive/archive';
import { openArchive } from '@/server/archive/open';
import { enginesUnderTest, type TestDatabase } from '@/server/archive/testing/engines';
import {
  hour,
  sampleIncarnation,
  sampleRecord,
  sampleRecording,
  START_MS,
} from '@/server/archive/testing/samples';

const { engines, stop } = await enginesUnderTest();
afterAll(stop);

describe.each(engines)('record summaries in $engine', ({ createDatabase: makePlace }) => {
  let place: TestDatabase;
  let archive: Archive;

  beforeEach(async () => {
    place = await makePlace();
    archive = await openArchive(place);
    const lease = await archive.leases.acquire('test', START_MS, 'prod');
    const incarnations = [
      sampleIncarnation('cart'),
      sampleIncarnation('web'),
      sampleIncarnation('gone', { deletedAt: hour(9) }),
    ];
    if (lease !== null) {
      const recordings = incarnations.map((incarnation) => sampleRecording(incarnation, 3));
      await archive.record(lease, recordings, START_MS);
    }
  });

  afterEach(async () => {
    await archive.close();
    await place.remove();
  });

  test('are the latest of one incarnation, in order, as the records have it', async () => {
    const incarnation = sampleIncarnation('cart');
    expect(await archive.rollouts.summaries(incarnation, 2)).toEqual([
      summarizeRecord(sampleRecord(incarnation, 2)),
      summarizeRecord(sampleRecord(incarnation, 3)),
    ]);
  });

  test('are the last of each incarnation that is not deleted, in pages', async () => {
    const first = await archive.rollouts.latestSummaries('prod', '', 1);
    expect(first).toEqual([summarizeRecord(sampleRecord(sampleIncarnation('cart'), 3))]);
    const second = await archive.rollouts.latestSummaries('prod', 'uid-cart', 10);
    expect(second.map(({ id }) => id)).toEqual(['uid-web.3']);
    expect(await archive.rollouts.latestSummaries('other', '', 10)).toEqual([]);
  });

  test('are those begun since a time, and those of the given ids', async () => {
    const summaries = await archive.rollouts.changedSummaries('prod', Date.parse(hour(3)), ['uid-cart.1']);
    const ids = ['uid-cart.1', 'uid-cart.3', 'uid-gone.3', 'uid-web.3'];
    expect(summaries.map(({ id }) => id).sort()).toEqual(ids);
  });

  test('come with the pods over time for a track', async () => {
    const tracks = await archive.rollouts.tracks(sampleIncarnation(), 50, Date.parse(hour(2)));
    expect(tracks.map(({ summary: mark, samples }) => [mark.to.number, samples.length])).toEqual([
      [2, 1],
      [3, 1],
    ]);
  });

  test('state which bodies are unmasked', async () => {
    const hashes = (await archive.revisions.of(sampleIncarnation())).map(({ hash }) => hash);
    expect(await archive.revisions.unmaskedBodies([...hashes, 'unknown'])).toEqual(new Set(hashes));
    expect(await archive.revisions.unmaskedBodies([])).toEqual(new Set());
  });
});
