import 'server-only';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

/** Identifies this process in the audit: it follows the actions that it started. */
export const processIdentity = `${hostname()}/${process.pid}/${randomUUID().slice(0, 8)}`;

/** Whether another live process of this machine follows the action; of other machines nothing is known. */
export function isOwnedByLiveProcess(holder: string | undefined): boolean {
  const [host, pid] = (holder ?? '').split('/');
  if (host !== hostname() || holder === processIdentity || Number(pid) === process.pid) return false;
  try {
    return process.kill(Number(pid), 0);
  } catch (error) {
    // It lives, and is another user's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
