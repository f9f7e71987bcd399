import { showToast } from '@/components/ui/toast-queue';

/**
 * For `lazy` and `dynamic`: a part that is loaded on first use, or nothing and a toast where its script does not come,
 * without a connection or after an update of Shiplog. The error would take the whole page down.
 */
export async function loadPart<Props>(
  part: Promise<React.ComponentType<Props>>,
  onFailure?: () => void,
): Promise<{ default: React.ComponentType<Props> }> {
  try {
    return { default: await part };
  } catch {
    onFailure?.();
    showToast({
      title: 'This part of Shiplog could not be loaded',
      body: 'Nothing was changed. Reload the page once the connection is back.',
      tone: 'bad',
    });
    return { default: () => null };
  }
}

/** Long enough for the page to have what it shows. */
const IDLE_TIMEOUT_MS = 10_000;

/**
 * Loads parts that the viewer may need next, one after another while the page is idle: they open at once, and without a
 * connection. For an effect.
 */
export function loadWhenIdle(parts: readonly (() => Promise<unknown>)[]): () => void {
  let handle = 0;
  // Safari has no idle callbacks, and does without.
  if (!('requestIdleCallback' in window)) return () => {};
  const load = (index: number) => {
    const part = parts[index];
    if (part === undefined) return;
    handle = requestIdleCallback(() => void loadAhead(part).then(() => load(index + 1)), {
      timeout: IDLE_TIMEOUT_MS,
    });
  };
  if (document.readyState === 'complete') load(0);
  else addEventListener('load', () => load(0), { once: true });
  return () => cancelIdleCallback(handle);
}

/** Loads a part before its use, which is when it matters that it does not come. */
export async function loadAhead(part: () => Promise<unknown>): Promise<void> {
  await part().catch(() => undefined);
}
