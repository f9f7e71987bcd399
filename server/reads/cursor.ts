import 'server-only';
import { AppError } from '@/lib/errors';
import type { Keys } from '@/server/shared/keys';

/** A cursor names the last row of a page, so that rows that are added or removed meanwhile repeat or hide nothing. */
export function encodeCursor(keys: Keys, key: string): string {
  const text = Buffer.from(key).toString('base64url');
  return `${text}.${keys.sign(text)}`;
}

/** The row that a cursor names. Throws AppError `bad_request` for a cursor that this server has not issued. */
export function decodeCursor(keys: Keys, cursor: string): string {
  const [text = '', signature, ...rest] = cursor.split('.');
  if (signature === keys.sign(text) && rest.length === 0) return Buffer.from(text, 'base64url').toString();
  throw new AppError('bad_request', 'cursor: this is not a cursor of this server. Start again without one.', {
    field: 'cursor',
  });
}
