import type { Behind } from '@/server/cluster/cache';
import type { ReflectorState } from '@/server/cluster/reflector';

/** A watch that is only being reopened, or a list that is repeated, is not worth a notice. */
export const BEHIND_AFTER_MS = 5_000;

type State = Pick<ReflectorState, 'phase' | 'synced' | 'unfollowedSince' | 'error'>;

/** The resource that has not been followed for longest, if for so long that changes may be missing. */
export function behindOf(states: readonly State[], now: number): Behind | undefined {
  const behind = states
    .filter(({ phase, synced }) => synced && phase !== 'forbidden' && phase !== 'unserved')
    .flatMap(({ unfollowedSince, error }) =>
      unfollowedSince === undefined ? [] : [{ unfollowedSince, error }],
    )
    .filter(({ unfollowedSince }) => now - unfollowedSince >= BEHIND_AFTER_MS)
    .sort((a, b) => a.unfollowedSince - b.unfollowedSince)[0];
  if (behind === undefined) return undefined;
  const { unfollowedSince, error } = behind;

  return { since: unfollowedSince, reason: sentence(error?.message ?? 'It is being listed again.') };
}

/** The API server's own words seldom end with a period. */
function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
