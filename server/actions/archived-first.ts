import 'server-only';
import { type ActionsContext } from '@/server/actions/context';
import { inTime } from '@/server/reads/in-time';

/** What a person does not notice beside a write; an archive that takes longer gets the line as soon as it can. */
const PATIENCE_MS = 1_000;

/**
 * Whoever sees the write finds its action in the archive, whichever process records. The file has it in any case, and no
 * write waits for an archive that does not answer.
 */
export async function archivedFirst({ archive, archived }: ActionsContext): Promise<void> {
  if (archive() === null) return;
  await inTime(archived(), PATIENCE_MS).catch(() => undefined);
}
