import 'server-only';
import { type ActionsContext } from '@/server/actions/context';
import { withTimeout } from '@/server/reads/with-timeout';

/** A wait that a person does not notice beside a write; a slower archive gets the line as soon as it can. */
const TIMEOUT_MS = 1_000;

/**
 * Waits for the archive, so that a viewer who sees the write finds its action there, whichever process
 * records. The file has it in any case, and no write waits for an archive that does not answer.
 */
export async function awaitArchived({ archive, whenArchived: archived }: ActionsContext): Promise<void> {
  if (archive() === null) return;
  await withTimeout(archived(), TIMEOUT_MS).catch(() => undefined);
}
