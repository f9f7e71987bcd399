import type { ReflectorState } from '@/server/cluster/reflector';
import type { Logger } from '@/server/shared/log';

/** `onState` of a reflector that logs each new problem once: there may be hundreds of attempts. */
export function warnOnce(
  log: Logger,
  message: string,
  fields: Record<string, unknown>,
): (state: Pick<ReflectorState, 'error'>) => void {
  let logged: string | undefined;
  return ({ error }) => {
    if (error?.message === logged) return;
    logged = error?.message;
    if (logged !== undefined) log.warn(message, { ...fields, reason: logged });
  };
}
