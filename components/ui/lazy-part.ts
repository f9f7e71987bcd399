import { showToast } from '@/components/ui/toast-queue';

/**
 * For `lazy`: a part that is loaded on first use, or nothing and a toast where its script does not come,
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

/** Loads a part once the page is idle: it is there without a connection. For an effect. */
export function loadWhenIdle(part: () => Promise<unknown>): () => void {
  let handle = 0;
  // Safari has no idle callbacks, and does without.
  if (!('requestIdleCallback' in window)) return () => {};
  const load = () => {
    handle = requestIdleCallback(() => void loadAhead(part), { timeout: IDLE_TIMEOUT_MS });
  };
  if (document.readyState === 'complete') load();
  else addEventListener('load', load, { once: true });
  return () => {
    removeEventListener('load', load);
    cancelIdleCallback(handle);
  };
}

/** Loads a part before its use, which is when it matters that it does not come. */
export async function loadAhead(part: () => Promise<unknown>): Promise<void> {
  await part().catch(() => undefined);
}
