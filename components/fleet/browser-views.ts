import { readStored, store } from '@/components/ui/browser-storage';
import { type Preferences } from '@/lib/api/preferences';

/** Views used to belong to a browser, and not to a person. */
const STORAGE_KEY = 'shiplog.views';

type Views = Pick<Preferences, 'views' | 'initial'>;

/** Those that this browser still has; null where there are none. */
export function readBrowserViews(): Views | null {
  const text = readStored(STORAGE_KEY, 'browser');
  if (text === null) return null;
  try {
    const { views, initial = null } = JSON.parse(text) as Partial<Views>;
    if (Array.isArray(views) && views.length > 0) return { views, initial };
  } catch {
    // Another program wrote it.
  }
  deleteBrowserViews();
  return null;
}

export function deleteBrowserViews(): void {
  store(STORAGE_KEY, null, 'browser');
}
