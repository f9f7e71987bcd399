import type { GlyphName } from '@/components/ui/glyph';
import type { Action } from '@/lib/api/action';
import { isEndUnknown } from '@/components/queries/action';
import { capitalize } from '@/lib/format/text';
import { actionStateLabels } from '@/lib/view/activity-text';
import { actionLabels as rolloutActions } from '@/lib/rollout/action-labels';

/** The actions in the words of their buttons, where those are the same for every object. */
export const activityLabels: Record<Action['action'], string> = {
  ...rolloutActions,
  restart: 'Restart',
  partition: 'Move partition',
  deletePod: 'Delete pod',
  releaseFields: 'Release fields',
};

/** An action in the words of its button. */
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
  return isEndUnknown({ state, endedAt })
    ? endUnknown
    : { ...glyphs[state], word: capitalize(actionStateLabels[state]) };
}

const endUnknown: Face = { word: 'End unknown', glyph: 'unknown', color: 'text-unknown' };

const glyphs: Record<Action['state'], Omit<Face, 'word'>> = {
  accepted: { glyph: 'waiting', color: 'text-rolling' },
  following: { glyph: 'restart', color: 'text-rolling' },
  done: { glyph: 'complete', color: 'text-complete' },
  failed: { glyph: 'failed', color: 'text-stuck' },
  refused: { glyph: 'lock', color: 'text-degraded' },
};
