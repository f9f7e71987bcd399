import 'server-only';
import { AppError } from '@/lib/errors';
import { toColumn, toMs } from '@/server/archive/column-values';

/** The position of a row in a list by time, so that new rows neither repeat nor hide an item. */
export function timeCursor(instant: string, id: string): string {
  return `${toMs(instant) ?? 0}.${id}`;
}

/** Throws AppError `bad_request` for a cursor that Shiplog did not issue. */
export function readCursor(cursor: string): { ms: number; id: string } {
  const [, ms, id] = /^(\d{1,15})\.(.{1,200})$/s.exec(cursor) ?? [];
  if (ms !== undefined && id !== undefined) return { ms: Number(ms), id: toColumn(id) };
  throw new AppError('bad_request', 'cursor: is none that this list has given. Start again without one.', {
    field: 'cursor',
  });
}
