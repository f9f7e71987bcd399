import { type GlyphName } from '@/components/ui/glyph';
import { type Action } from '@/lib/api/action';
import { isEndUnknown } from '@/components/queries/action';
import { actionLabels as rolloutActions } from '@/lib/rollout/action-names';

/** What was done, in the words of the button where those are the same for every object. */
export const activityLabels: Record<Action['action'], string> = {
  ...rolloutActions,
  restart: 'Restart',
  partition: 'Move partition',
  deletePod: 'Delete pod',
};

/** What was done, in the words of the button. */
export function formatAction({ action, label, group }: Pick<Action, 'action' | 'label' | 'group'>): string {
  if (group !== undefined) return `Restart group ${group}`;
  return label ?? activityLabels[action];
}

interface Face {
  word: string;
  glyph: GlyphName;
  color: string;
}

/** How an action ended, or that it has not ended. */
export function stateFace({ state, endedAt }: Pick<Action, 'state' | 'endedAt'>): Face {
  return isEndUnknown({ state, endedAt }) ? endUnknown : actionStateAppearance[state];
}

const endUnknown: Face = { word: 'end unknown', glyph: 'unknown', color: 'text-unknown' };

const actionStateAppearance: Record<Action['state'], Face> = {
  accepted: { word: 'accepted', glyph: 'waiting', color: 'text-rolling' },
  following: { word: 'in progress', glyph: 'restart', color: 'text-rolling' },
  done: { word: 'done', glyph: 'complete', color: 'text-complete' },
  failed: { word: 'failed', glyph: 'failed', color: 'text-stuck' },
  refused: { word: 'refused', glyph: 'lock', color: 'text-degraded' },
};
