import 'server-only';
import type { CheckInput } from '@/server/actions/checks/check';
import type { Execution } from '@/server/actions/strategy';

/** What the checks of an action on this workload read from. */
export function checkInputOf({ context, viewer }: Execution, current: CheckInput['current']): CheckInput {
  const { cluster, hubsOf, now } = context;
  return { cluster, viewer, current, hubs: hubsOf(viewer), nowMs: now() };
}
