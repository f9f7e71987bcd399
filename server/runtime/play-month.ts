import 'server-only';
import { type Month, readMonth } from '@/server/runtime/shipped-month';
import { seedRecordedHistory } from '@/server/runtime/seed-recorder';
import { silentLogger } from '@/server/shared/log';
import { sandboxFolder } from '@/server/shared/sandbox-folder';
import { CLUSTERS, FLEET } from '@/sandbox/seed/fleet/fleet';

/** The sandbox, and each of several. */
export const monthNames: readonly string[] = ['sandbox', ...CLUSTERS.map(({ name }) => name)];

/** Any; always the same, so that playing the same gives the same. */
const END_MS = Date.parse('2026-11-30T15:00:00Z');

/** Plays the month of that name, in an empty folder. */
export async function playMonth(name: string, dataDir: string): Promise<Month> {
  const cluster = CLUSTERS.find((each) => each.name === name);
  await seedRecordedHistory({
    dataDir,
    fleet: cluster?.fleet ?? FLEET,
    delayMs: cluster?.delayMs ?? 0,
    end: END_MS,
    seed: monthNames.indexOf(name) + 1,
    log: silentLogger,
  });
  return readMonth(sandboxFolder(dataDir), END_MS);
}
