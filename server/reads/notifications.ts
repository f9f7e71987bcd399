import 'server-only';
import type { activitySchema } from '@/lib/api/activity';
import type { Answer } from '@/lib/api/common';
import { AppError } from '@/lib/errors';
import type { OutboxState } from '@/server/archive/outbox';
import type { SharedContext } from '@/server/views/context';
import type { Mask } from '@/server/shared/mask';

type Target = Answer<typeof activitySchema>['notifications'][number];

/** The state of each address that receives notifications; empty where there is none, or the archive can't be read. */
export async function notificationTargets({ archive, config, keys }: SharedContext): Promise<Target[]> {
  const targets = config.webhooks?.targets ?? [];
  if (targets.length === 0 || archive == null) return [];
  const states = await archive.outbox.states().catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'archive_unavailable') return [];
    throw error;
  });
  return targets.map(({ id, label }) =>
    targetOf(
      label,
      states.find(({ target }) => target === id),
      keys.mask,
    ),
  );
}

function targetOf(target: string, state: OutboxState | undefined, mask: Mask): Target {
  return {
    target,
    waiting: state?.waiting ?? 0,
    delivered: state?.delivered ?? 0,
    givenUp: state?.givenUp ?? 0,
    lastDeliveredAt: timeOf(state?.lastDeliveredMs),
    failingSince: timeOf(state?.failingSinceMs),
    lastError: mask.text(state?.lastError ?? null),
  };
}

function timeOf(ms: number | null | undefined): string | null {
  return ms == null ? null : new Date(ms).toISOString();
}
