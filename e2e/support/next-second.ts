import { waitFor } from '@/e2e/controlplane/wait';

/**
 * Waits for a later second: times in managedFields are whole seconds, and of two writes within one the author of
 * neither can be known.
 */
export async function untilNextSecond(thanMs: number): Promise<void> {
  const secondOf = (ms: number) => Math.floor(ms / 1_000);
  const isLater = () => secondOf(Date.now()) > secondOf(thanMs);
  await waitFor(isLater, { what: 'the next second', timeoutMs: 5_000 });
}
