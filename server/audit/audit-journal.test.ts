import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import type { Archive } from '@/server/archive/archive';
import type { ArchivedAction } from '@/lib/api/action';
import { openArchive } from '@/server/archive/open';
import { enginesUnderTest, type TestDatabase } from '@/server/archive/testing/engines';
import { anyAction, sampleAction, sampleReview } from '@/server/archive/testing/sample-actions';
import { hour } from '@/server/archive/testing/samples';
import { Audit, type AuditEntry } from '@/server/audit/audit';
import { AuditJournal, type JournalRepository } from '@/server/audit/audit-journal';
import { createLogger, silentLogger } from '@/server/shared/log';

const anyEvent = { kind: null, person: null, limit: 100, cursor: null };

const { engines, stop } = await enginesUnderTest();
afterAll(stop);

/** A line as the first version wrote it. */
function entryOf({ action, at }: ArchivedAction, event: AuditEntry['event'] = 'finished'): AuditEntry {
  return { at, event, action, seen: 's', expectation: null, code: null, apiMessage: null };
}

describe.each(engines)('on $engine', ({ createDatabase: makePlace }) => {
  let dir: string;
  let path: string;
  let place: TestDatabase;
  let archive: Archive;
  let audit: Audit;
  let said: string;

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'shiplog-journal-'));
    path = join(dir, 'audit.jsonl');
    place = await makePlace();
    archive = await openArchive(place);
    audit = Audit.open(dir);
    said = '';
  });
  afterEach(async () => {
    audit.close();
    await archive.close();
    await place.remove();
    rmSync(dir, { recursive: true });
  });

  function open(
    target: JournalRepository | undefined = archive.actions,
    now: () => number = () => 0,
  ): AuditJournal {
    const log = createLogger({ level: 'info', write: (line) => (said += line) });
    const journal = new AuditJournal({ audit, log, now });
    if (target !== undefined) journal.attach(target);
    return journal;
  }

  /** The process is killed; another one opens the same file. */
  function reopen(): void {
    audit.close();
    audit = Audit.open(dir);
  }

  test('replaces a file that is large and completely archived with a new one, and loses nothing', async () => {
    const rotate = audit.rotate.bind(audit);
    audit.rotate = () => rotate(2_000);
    const journal = open();
    for (let count = 0; count < 12; count += 1) {
      audit.append(entryOf(sampleAction(count)));
      await journal.settled();
    }
    expect(readdirSync(dir).length).toBeGreaterThan(3);
    expect(await kept()).toHaveLength(12);
    await journal.stop();
  });

  async function kept(): Promise<string[]> {
    const { items } = await archive.actions.list(anyAction);
    return items.map(({ action }) => `${action.id} ${action.state}`);
  }

  function countSaves(): { archive: JournalRepository; readonly saved: string[] } {
    const saved: string[] = [];
    return {
      saved,
      archive: {
        journal: (id) => archive.actions.journal(id),
        saveJournal: (part) => {
          saved.push(...part.actions.map(({ action }) => action.id));
          return archive.actions.saveJournal(part);
        },
      },
    };
  }

  test('archives what was in the file before, each line once, and then new lines', async () => {
    for (const number of [1, 2]) audit.append(entryOf(sampleAction(number)));
    reopen();
    const first = countSaves();
    const journal = open(first.archive);
    await journal.settled();
    audit.append(entryOf(sampleAction(3)));
    await journal.settled();
    expect(first.saved).toStrictEqual(['action-1', 'action-2', 'action-3']);
    await journal.stop();
    reopen();
    const second = countSaves();
    await open(second.archive).settled();
    expect(second.saved).toStrictEqual([]);
    expect(await kept()).toStrictEqual(['action-3 done', 'action-2 done', 'action-1 done']);
  });

  test('an action that was on disk when the process was killed is not lost', async () => {
    const journal = open();
    audit.append(entryOf(sampleAction(1, { state: 'accepted' }, { at: hour(1) }), 'attempted'));
    await journal.settled();
    const afterKill = readFileSync(path);
    audit.append(entryOf(sampleAction(1)));
    expect(readFileSync(path).length).toBeGreaterThan(afterKill.length);
    reopen();
    await open().settled();
    expect(await kept()).toStrictEqual(['action-1 done']);
  });

  test('counts, reports and leaves out damaged lines, and half a line waits for its rest', async () => {
    audit.append(entryOf(sampleAction(1)));
    appendFileSync(path, 'no json\n{"at":1}\n\n');
    audit.append(entryOf(sampleAction(2)));
    const line = JSON.stringify(entryOf(sampleAction(3)));
    appendFileSync(path, line.slice(0, 40));
    const journal = open();
    await journal.settled();
    expect(await kept()).toStrictEqual(['action-2 done', 'action-1 done']);
    expect(journal.damaged).toBe(2);
    expect(said.match(/is unreadable and was skipped/g)).toHaveLength(2);
    appendFileSync(path, `${line.slice(40)}\n`);
    await journal.settled();
    expect(await kept()).toStrictEqual(['action-3 done', 'action-2 done', 'action-1 done']);
    expect(journal.damaged).toBe(2);
  });

  test('archives lines of reviews and sign-ins too, each once', async () => {
    audit.note(sampleReview);
    audit.append(entryOf(sampleAction(1)));
    audit.note({ ...sampleReview, event: 'unpin' });
    const journal = open();
    await journal.settled();
    await journal.settled();
    expect([await kept(), journal.damaged, said]).toStrictEqual([['action-1 done'], 0, '']);
    const { cluster } = sampleReview.workload;
    const events = await archive.events.list({ ...anyEvent, clusters: [cluster] });
    expect(events.map(({ entry }) => entry.event)).toStrictEqual(['unpin', sampleReview.event]);
    await journal.stop();
  });

  test('lines longer than one read cost only themselves', async () => {
    audit.append(entryOf(sampleAction(1)));
    appendFileSync(path, `${'x'.repeat(700_000)}\n`);
    const long = 'é'.repeat(1_000);
    for (let number = 2; number <= 150; number += 1)
      audit.append(entryOf(sampleAction(number, { reason: long })));
    const journal = open();
    await journal.settled();
    const page = await archive.actions.list({ ...anyAction, limit: 500 });
    expect(page.items).toHaveLength(150);
    expect(page.items.slice(0, -1).every(({ action }) => action.reason === long)).toBe(true);
  });

  test('while the archive is away the file is written all the same, and archived later', async () => {
    let isAway = true;
    let now = 0;
    const unavailable = () => Promise.reject(new AppError('archive_unavailable', 'The disk is full.'));
    const moody: JournalRepository = {
      journal: (id) => (isAway ? unavailable() : archive.actions.journal(id)),
      saveJournal: (part) => (isAway ? unavailable() : archive.actions.saveJournal(part)),
    };
    const journal = open(moody, () => now);
    for (const number of [1, 2]) audit.append(entryOf(sampleAction(number)));
    await expect(journal.settled()).rejects.toMatchObject({ code: 'archive_unavailable' });
    isAway = false;
    now += 60_000;
    await journal.settled();
    expect(await kept()).toStrictEqual(['action-2 done', 'action-1 done']);
    expect(said).toContain('The disk is full.');
    await journal.stop();
  });

  test('reads a file that was restored from a copy again, and two files do not disturb each other', async () => {
    audit.append(entryOf(sampleAction(1)));
    const copy = join(dir, 'copy');
    copyFileSync(path, copy);
    audit.append(entryOf(sampleAction(2)));
    await open().settled();
    truncateSync(path, readFileSync(copy).length);
    reopen();
    for (const number of [3, 4]) audit.append(entryOf(sampleAction(number)));
    await open().settled();
    truncateSync(path, 0);
    reopen();
    audit.append(entryOf(sampleAction(5)));
    await open().settled();
    expect(await kept()).toHaveLength(5);
  });

  test('stores texts of any length up to a bound', async () => {
    audit.append(entryOf(sampleAction(1, { reason: 'r'.repeat(50_000) })));
    await open().settled();
    const [item] = (await archive.actions.list(anyAction)).items;
    expect(item?.action.reason).toHaveLength(2_000);
  });
});

/** Faults of a file and an archive, in any order. */
type Event =
  | { kind: 'append'; action: number; state: 'accepted' | 'done' | 'failed' }
  | { kind: 'damage'; text: string }
  | { kind: 'kill' | 'settle' | 'away' | 'back' };

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      action: fc.integer({ min: 1, max: 5 }),
      state: fc.constantFrom('accepted' as const, 'done' as const, 'failed' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('damage' as const), text: fc.string({ maxLength: 30 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('kill', 'settle', 'away', 'back') }),
  },
);

test('whatever happens in between, the archive ends with every action in its last state in the file', async () => {
  const run = async (events: readonly Event[]) => {
    const dir = mkdtempSync(join(tmpdir(), 'shiplog-journal-'));
    const archive = await openArchive({ databaseUrl: undefined, dataDir: dir });
    let isAway = false;
    const reach = <Result>(work: () => Promise<Result>) =>
      isAway ? Promise.reject(new AppError('archive_unavailable', 'away')) : work();
    const target: JournalRepository = {
      journal: (id) => reach(() => archive.actions.journal(id)),
      saveJournal: (part) => reach(() => archive.actions.saveJournal(part)),
    };
    let now = 0;
    const expected = new Map<string, string>();
    const open = () => {
      const opened = Audit.open(dir);
      const journal = new AuditJournal({ audit: opened, log: silentLogger, now: () => now });
      journal.attach(target);
      return { audit: opened, journal };
    };
    let process = open();
    for (const [index, step] of events.entries()) {
      now += 60_000;
      if (step.kind === 'append') {
        const archived = sampleAction(step.action, { state: step.state }, { at: hour(index) });
        process.audit.append(entryOf(archived));
        expected.set(archived.action.id, step.state);
      } else if (step.kind === 'damage') {
        appendFileSync(join(dir, 'audit.jsonl'), `${step.text.replaceAll('\n', ' ')}x\n`);
      } else if (step.kind === 'kill') {
        process.audit.close();
        process = open();
      } else if (step.kind === 'settle') {
        await process.journal.settled().catch(() => undefined);
      } else isAway = step.kind === 'away';
    }
    isAway = false;
    now += 60_000;
    await process.journal.settled();
    const { items } = await archive.actions.list(anyAction);
    const found = new Map(items.map(({ action }) => [action.id, action.state]));
    await process.journal.stop();
    process.audit.close();
    await archive.close();
    rmSync(dir, { recursive: true });
    expect(found).toEqual(expected);
  };
  await fc.assert(fc.asyncProperty(fc.array(event, { maxLength: 25 }), run), { numRuns: 30 });
});
