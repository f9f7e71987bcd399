import 'server-only';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

/** Stands for this process in the audit: it follows what it has begun. */
export const ownHolder = `${hostname()}/${process.pid}/${randomUUID().slice(0, 8)}`;

/** Whether another process of this machine lives that is to follow it; of one elsewhere nothing is known. */
export function isHeldElsewhere(holder: string | undefined): boolean {
  const [host, pid] = (holder ?? '').split('/');
  if (host !== hostname() || holder === ownHolder || Number(pid) === process.pid) return false;
  try {
    return process.kill(Number(pid), 0);
  } catch (error) {
    // It lives, and is another user's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
