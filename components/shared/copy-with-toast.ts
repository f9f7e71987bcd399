import { copyText } from '@/components/ui/copy-button';
import { showToast } from '@/components/ui/toast-queue';

/** Copies the text and confirms it; where copying fails, shows the text for manual copying. */
export async function copyWithToast(text: string, title: string): Promise<void> {
  const copied = await copyText(text);
  showToast(copied ? { title, body: text } : { title: 'Could not copy to clipboard', body: text });
}
