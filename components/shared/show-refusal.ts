import { showToast } from '@/components/ui/toast-queue';

/** Answers the key or the press of an action that is not possible now: silence would look like a slow page. */
export function showRefusal(label: string, reason: string): void {
  showToast({ title: `${label.replace(/…$/, '')}: not possible now`, body: reason });
}
