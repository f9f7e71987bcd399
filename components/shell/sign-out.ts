import { apiFetch } from '@/components/queries/client';
import { viewerPrefix } from '@/components/ui/browser-storage';
import { errorText } from '@/components/ui/error-state';
import { showToast } from '@/components/ui/toast';

/** Nothing of the viewer stays in this browser: not their drafts, and not what they opened last. */
export async function signOut() {
  try {
    const { signOutUrl } = await apiFetch('DELETE /api/session', {});
    clearStored();
    location.replace(signOutUrl ?? '/');
  } catch (error) {
    showToast({ title: 'You are still signed in', body: errorText(error), tone: 'bad' });
  }
}

/** Other tabs have their own session storage, which no other viewer reads. */
function clearStored(): void {
  for (const area of ['localStorage', 'sessionStorage'] as const) {
    try {
      const storage = window[area];
      for (const key of Object.keys(storage)) if (key.startsWith(viewerPrefix())) storage.removeItem(key);
    } catch {
      // Where storage is unavailable, it has nothing.
    }
  }
}
