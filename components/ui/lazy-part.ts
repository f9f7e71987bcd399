import { showToast } from '@/components/ui/toast';

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

/** Loads a part before its use, which is when it matters that it does not come. */
export async function loadAhead(part: () => Promise<unknown>): Promise<void> {
  await part().catch(() => undefined);
}
