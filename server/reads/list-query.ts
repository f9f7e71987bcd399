import { AppError } from '@/lib/errors';
import { parseSelector, type Selector } from '@/lib/kube/selector';

/** The parts of a list with commas; null without any. */
export function commaSet(text: string | undefined): ReadonlySet<string> | null {
  const parts = text?.split(',').filter(Boolean) ?? [];
  return parts.length === 0 ? null : new Set(parts);
}

/** Throws `bad_request` that names the field. */
export function parseSelectorField(text: string): Selector {
  try {
    return parseSelector(text);
  } catch (error) {
    throw new AppError('bad_request', `labelSelector: ${(error as Error).message}`, {
      field: 'labelSelector',
    });
  }
}
