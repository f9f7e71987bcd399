import 'server-only';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { canonicalJson, type JsonObject, parseJson } from '@/lib/kube/json';
import { versionedMeaning } from '@/lib/records/template-meaning';
import { exportArchive } from '@/server/archive/export';
import { parseLine } from '@/server/archive/export-line';
import { importArchive, splitIntoLines } from '@/server/archive/import';
import { Archive } from '@/server/archive/archive';
import { LOCK_WAIT_MS, openDatabase } from '@/server/archive/open';
import { hashOfText } from '@/server/archive/revisions';
import { recordId } from '@/server/recorder/tools';
import { sandboxFolder } from '@/server/shared/sandbox-folder';
import { AUDIT_FILE } from '@/server/audit/audit';
import { semanticIdOf } from '@/server/shared/semantic-id';
import { CLUSTER_FILE } from '@/sandbox/api/persistence';
import { reviewers } from '@/sandbox/seed/reviews';
import { openStateFolder, requireNoOtherInstance } from '@/sandbox/state-folder';

/** Where the months lie that `npm run seed` has played. */
export const MONTHS = join(import.meta.dirname, '../../sandbox/months');

/** A month that was played: the state of the cluster, what was recorded, and the audit of what was done through Shiplog. */
export interface Month {
  /** When it ends, in milliseconds since the epoch. */
  readonly endMs: number;
  /** JSON. */
  readonly cluster: string;
  /** Lines of an export. */
  readonly archive: string;
  /** Lines of JSON. */
  readonly audit: string;
}

/** Reads the month that was played into a folder of the sandbox's state, and ended at `endMs`. */
export async function readMonth(folder: string, endMs: number): Promise<Month> {
  const database = await openDatabase({ databaseUrl: undefined, dataDir: folder });
  const chunks: string[] = [];
  await exportArchive(database, null, (chunk) => {
    chunks.push(chunk);
    return Promise.resolve();
  });
  await database.db.destroy();
  const audit = join(folder, AUDIT_FILE);
  return {
    endMs,
    cluster: readFileSync(join(folder, CLUSTER_FILE), 'utf8'),
    archive: chunks.join(''),
    audit: existsSync(audit) ? readFileSync(audit, 'utf8') : '',
  };
}

export function packMonth(month: Month): Buffer {
  return brotliCompressSync(JSON.stringify(month));
}

/**
 * Starts the sandbox of this name, or one of several, over from the month that ships, as if it ended now. Throws
 * ConfigError when another process serves it.
 */
export async function startOver(place: MonthPlace, name = 'sandbox'): Promise<void> {
  await requireNoOtherInstance(sandboxFolder(place.dataDir));
  await writeMonth(place, moveMonth(shippedMonth(name), Date.now()));
}

/** By the name of the sandbox. */
export function shippedMonth(name: string): Month {
  const packed = readFileSync(join(MONTHS, `${name}.json.br`));
  return JSON.parse(brotliDecompressSync(packed).toString()) as Month;
}

interface MonthPlace {
  /** Parent of the folder `sandbox`. */
  readonly dataDir: string;
  /** The folder of the archive that several sandboxes share; that of the sandbox by default. */
  readonly archiveDir?: string;
}

/** Makes the month the state of a sandbox, in place of what it had. What is interrupted counts as no state. */
export async function writeMonth(
  { dataDir, archiveDir }: MonthPlace,
  { endMs, cluster, archive, audit }: Month,
): Promise<void> {
  const folder = openStateFolder(dataDir, 'fresh');
  const place = { databaseUrl: undefined, dataDir: archiveDir ?? folder.path };
  const database = await openDatabase(place);
  await importArchive(database, splitIntoLines(Readable.from([archive])));
  const opened = new Archive(database, LOCK_WAIT_MS);
  for (const user of reviewers) await opened.people.saw({ id: `user:${user}`, name: user }, endMs);
  await opened.close();
  writeFileSync(join(folder.path, CLUSTER_FILE), cluster, { mode: 0o600 });
  if (audit !== '') appendFileSync(join(place.dataDir, AUDIT_FILE), audit, { mode: 0o600 });
  folder.markSeeded();
}

const DAY_MS = 86_400_000;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z/;
const DAY = /"\d{4}-\d\d-\d\d"/;
const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

/**
 * The same month, ending at `endMs`, of a cluster of its own: every time is moved, and every uid is another one. What is
 * derived from these (the hashes of templates with a time, their meanings, the ids of records) is derived again.
 */
export function moveMonth(month: Month, endMs: number): Month {
  // Kubernetes writes whole seconds.
  const byMs = Math.floor((endMs - month.endMs) / 1_000) * 1_000;
  const byDays = startOfDay(month.endMs + byMs) - startOfDay(month.endMs);
  const uids = new Map<string, string>();
  const moveOne = (found: string): string => {
    if (found.startsWith('"')) return `"${moved(found.slice(1, -1), byDays).slice(0, 10)}"`;
    if (found.endsWith('Z')) return moved(found, byMs);
    const uid = uids.get(found) ?? randomUUID();
    uids.set(found, uid);
    return uid;
  };
  const plain = new RegExp(`${TIME.source}|${DAY.source}|${UID.source}`, 'g');
  const move = (text: string): string => text.replace(plain, moveOne);
  const derived = derivedAnew(month.archive, move);
  const everything = new RegExp([plain.source, ...derived.keys()].join('|'), 'g');
  const moveAll = (text: string): string =>
    text.replace(everything, (found) => derived.get(found) ?? moveOne(found));
  return {
    endMs: month.endMs + byMs,
    cluster: moveAll(month.cluster),
    archive: moveAll(month.archive),
    audit: moveAll(month.audit),
  };
}

/** In UTC, as dates are: the same distance between two days at any time of either. */
export function startOfDay(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

/** Keeps the precision. */
function moved(time: string, byMs: number): string {
  const at = new Date(Date.parse(time) + byMs).toISOString();
  const fraction = /\.\d+/.exec(time)?.[0] ?? '';
  return `${at.slice(0, 19)}${fraction}Z`;
}

/** What the archive names by a hash, with its name after the move. */
function derivedAnew(archive: string, move: (text: string) => string): Map<string, string> {
  const derived = new Map<string, string>();
  for (const [index, text] of archive.split('\n').entries()) {
    const isDerived = text.includes('"type":"record"') || (text.startsWith('{"body"') && TIME.test(text));
    const line = isDerived ? parseLine(text, index + 1) : null;
    if (line?.type === 'record') {
      const { id, activation, workload } = line.value;
      derived.set(id, recordId(move(workload.cluster), move(workload.uid), activation));
    }
    if (line?.type !== 'body') continue;
    const after = parseJson(move(canonicalJson(line.body))) as JsonObject;
    derived.set(line.hash, hashOfText(canonicalJson(after)));
    derived.set(versionedMeaning(semanticIdOf(line.body)), versionedMeaning(semanticIdOf(after)));
  }
  return derived;
}
