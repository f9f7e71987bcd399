import { waitFor } from '@/e2e/controlplane/wait';

/** Waits for a later second than that moment: managedFields have whole ones, and who wrote what in one nobody can tell. */
export async function laterSecond(thanMs: number): Promise<void> {
  const secondOf = (ms: number) => Math.floor(ms / 1_000);
  const isLater = () => secondOf(Date.now()) > secondOf(thanMs);
  await waitFor(isLater, { what: 'the next second', timeoutMs: 5_000 });
}
