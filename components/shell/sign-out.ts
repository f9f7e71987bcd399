import { apiFetch } from '@/components/queries/client';
import { errorText } from '@/components/ui/error-state';
import { showToast } from '@/components/ui/toast';

/** The page that is loaded then has nothing of the session. */
export async function signOut() {
  try {
    const { signOutUrl } = await apiFetch('DELETE /api/session', {});
    location.replace(signOutUrl ?? '/');
  } catch (error) {
    showToast({ title: 'You are still signed in', body: errorText(error), tone: 'bad' });
  }
}
