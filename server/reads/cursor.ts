import 'server-only';
import { AppError } from '@/lib/errors';
import { type Keys } from '@/server/keys';

/** A cursor names the last row seen, so that rows that come and go meanwhile repeat or hide nothing. */
export function makeCursor(keys: Keys, key: string): string {
  const text = Buffer.from(key).toString('base64url');
  return `${text}.${keys.sign(text)}`;
}

/** The row that a cursor names. Throws AppError `bad_request` for one that this server has not made. */
export function openCursor(keys: Keys, cursor: string): string {
  const [text = '', signature, ...rest] = cursor.split('.');
  if (signature === keys.sign(text) && rest.length === 0) return Buffer.from(text, 'base64url').toString();
  throw new AppError('bad_request', 'cursor: this is not a cursor of this server. Start again without one.', {
    field: 'cursor',
  });
}
