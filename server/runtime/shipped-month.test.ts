import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { canonicalJson, type JsonObject, parseJson } from '@/lib/kube/json';
import { openArchive } from '@/server/archive/open';
import { hashOfText } from '@/server/archive/revisions';
import { recordId } from '@/server/recorder/tools';
import { silentLogger } from '@/server/shared/log';
import { seedRecordedHistory } from '@/server/runtime/seed-recorder';
import { monthNames, playMonth } from '@/server/runtime/play-month';
import { type Month, moveMonth, readMonth, shippedMonth, writeMonth } from '@/server/runtime/shipped-month';
import { normalMonth } from '@/server/runtime/testing/normal-month';
import { isPlayed } from '@/sandbox/state-folder';
import { argo, majaLind, restart, ship, undo, workloadsIn } from '@/sandbox/seed/story';

const END = Date.parse('2026-11-20T12:00:00Z');
const DAY_MS = 86_400_000;
const shop = workloadsIn('shop');
const fleet = [
  shop('Deployment', 'pricing', {}, [
    ship('20d', argo, 'Pricing 1.0.0', '1.0.0'),
    ship('9d', argo, 'Pricing 1.1.0', '1.1.0'),
    undo('2d', majaLind, 0, 'Wrong prices'),
  ]),
];
const restarted = [
  shop('Deployment', 'labels', {}, [
    ship('20d', argo, 'Labels 1.0.0', '1.0.0'),
    restart('8d', majaLind, 'New certificates'),
  ]),
];

const root = mkdtempSync(join(tmpdir(), 'shiplog-months-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function emptyFolder(): string {
  return mkdtempSync(join(root, 'month-'));
}

async function play(end: number, workloads = fleet): Promise<Month> {
  const dataDir = emptyFolder();
  await seedRecordedHistory({ dataDir, end, fleet: workloads, seed: 1, log: silentLogger });
  return readMonth(join(dataDir, 'sandbox'), end);
}

let played: Month;
beforeAll(async () => {
  played = await play(END);
});

test('a moved month is the one that playing to its end gives, with other uids', async () => {
  const moved = moveMonth(played, END + 40 * DAY_MS);
  const later = await play(END + 40 * DAY_MS);
  expect(moved.endMs).toBe(later.endMs);
  expect(normalMonth(moved)).toEqual(normalMonth(later));
  const uids = uidsOf(played);
  expect([...uidsOf(moved)].filter((uid) => uids.has(uid))).toEqual([]);
});

test('a written month is opened as it was read, its records under the ids that the recorder gives them', async () => {
  const moved = moveMonth(await play(END, [...fleet, ...restarted]), Date.now());
  const dataDir = emptyFolder();
  await writeMonth({ dataDir }, moved);
  expect(isPlayed(dataDir)).toBe(true);
  expect(normalMonth(await readMonth(join(dataDir, 'sandbox'), moved.endMs))).toEqual(normalMonth(moved));
  const archive = await openArchive({ databaseUrl: undefined, dataDir: join(dataDir, 'sandbox') });
  onTestFinished(() => archive.close());
  const [cluster] = await archive.clusters.list();
  const scope = { clusters: [{ cluster: cluster?.id ?? '', scopes: null }], limit: 50 };
  const { items } = await archive.rollouts.search(scope);
  expect(items).toHaveLength(5);
  for (const { record } of items)
    expect(record.id).toBe(recordId(record.workload.cluster, record.workload.uid, record.activation));
});

test('the time in a restarted template moves too, and the archive has the template under its new hash', async () => {
  const month = await play(END, restarted);
  const moved = moveMonth(month, END + 40 * DAY_MS);
  expect(month.archive).toContain('"kubectl.kubernetes.io/restartedAt":"2026-11-12T12:00:00Z"');
  expect(moved.archive).toContain('"kubectl.kubernetes.io/restartedAt":"2026-12-22T12:00:00Z"');
  const hashes = bodiesOf(moved.archive);
  expect(hashes).toHaveLength(2);
  for (const { hash, body } of hashes) expect(hashOfText(canonicalJson(body))).toBe(hash);
  const refs = new Set(moved.archive.match(/(?<="hash":")[0-9a-f]{64}/g));
  expect(refs).toEqual(new Set(hashes.map(({ hash }) => hash)));
});

test('several months are written into one archive, each of a cluster of its own', async () => {
  const archiveDir = emptyFolder();
  for (const name of ['staging', 'production'])
    await writeMonth({ dataDir: join(archiveDir, name), archiveDir }, moveMonth(played, END));
  const archive = await openArchive({ databaseUrl: undefined, dataDir: archiveDir });
  onTestFinished(() => archive.close());
  expect(new Set((await archive.clusters.list()).map(({ id }) => id)).size).toBe(2);
});

test('a month that cannot be written whole counts as none', async () => {
  const dataDir = emptyFolder();
  const damaged = { ...played, archive: played.archive.slice(0, -100) };
  await expect(writeMonth({ dataDir }, damaged)).rejects.toThrow();
  expect(isPlayed(dataDir)).toBe(false);
});

test.each(monthNames)('the shipped month of %s is moved without a loss', (name) => {
  const shipped = shippedMonth(name);
  const moved = moveMonth(shipped, Date.now());
  expect(normalMonth(moved)).toEqual(normalMonth(shipped));
});

test.each([0, 4, 8, 12, 16, 20])('days stay as far from the end when it is at %s h', (hour) => {
  const shipped = shippedMonth('prod-us');
  expect(normalMonth(moveMonth(shipped, Date.parse('2026-12-10') + hour * 3_600_000))).toEqual(
    normalMonth(shipped),
  );
});

// Some forty seconds each.
test.runIf(process.env.SHIPLOG_ROUNDS !== undefined).each(monthNames)(
  'playing gives the shipped month of %s; otherwise: npm run seed',
  async (name) => {
    expect(normalMonth(await playMonth(name, emptyFolder()))).toEqual(normalMonth(shippedMonth(name)));
  },
);

function uidsOf({ cluster, archive }: Month): Set<string> {
  return new Set((cluster + archive).match(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g));
}

function bodiesOf(archive: string): { hash: string; body: JsonObject }[] {
  return archive
    .split('\n')
    .filter((line) => line.startsWith('{"body"'))
    .map((line) => parseJson(line) as unknown as { hash: string; body: JsonObject });
}
