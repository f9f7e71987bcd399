import 'server-only';
import { createHash } from 'node:crypto';

/** SHA-256, in hexadecimal digits: for keys of caches and of rows that must not hold the text itself. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
