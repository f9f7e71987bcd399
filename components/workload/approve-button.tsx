'use client';

import { useQuery } from '@tanstack/react-query';
import { ButtonLink } from '@/components/ui/button';
import { rolloutPagePath, rolloutQuery, type RolloutRef } from '@/components/queries/rollouts';
import { actionLabel } from '@/lib/rollout/action-labels';

/** The next step of the rollout that waits for approval: its dialog on the page of the rollout. */
export function ApproveButton({ rollout: ref }: { rollout: RolloutRef }) {
  const rollout = useQuery(rolloutQuery(ref)).data?.rollout;
  const action = rollout?.actions.find(({ name, allowed }) => name === 'approve' && allowed);
  if (rollout === undefined || action === undefined) return null;
  return (
    <ButtonLink tone="primary" glyph="check" href={rolloutPagePath(ref, '?action=approve')}>
      {actionLabel(rollout, 'approve')}…
    </ButtonLink>
  );
}
