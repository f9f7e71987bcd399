import { copyText } from '@/components/ui/copy-button';
import { showToast } from '@/components/ui/toast';

/** Copies the text and confirms it under `title`; where copying fails, shows a short text for copying by hand. */
export async function copyWithToast(text: string, title: string): Promise<void> {
  const body = text.length > SHOWN_LENGTH_MAX ? undefined : text;
  if (await copyText(text)) showToast({ title, body, tone: 'good' });
  else showToast({ title: 'Could not copy to clipboard', body, tone: 'bad' });
}

const SHOWN_LENGTH_MAX = 400;
