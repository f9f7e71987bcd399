import { type GlyphName } from '@/components/ui/glyph';
import { type Action } from '@/lib/api/actions';
import { isEndUnknown } from '@/lib/queries/action';
import { actionWords as rolloutActions } from '@/lib/rollout/action-verbs';

/** What was done, as its button says it where that is the same for every object. */
export const actionWords: Record<Action['action'], string> = {
  ...rolloutActions,
  restart: 'Restart',
  partition: 'Move partition',
  deletePod: 'Delete pod',
};

/** What was done, as the button said it. */
export function actionWord({ action, label, group }: Pick<Action, 'action' | 'label' | 'group'>): string {
  if (group !== undefined) return `Restart group ${group}`;
  return label ?? actionWords[action];
}

interface Face {
  word: string;
  glyph: GlyphName;
  color: string;
}

/** How an action ended, or that it has not. */
export function stateFace({ state, endedAt }: Pick<Action, 'state' | 'endedAt'>): Face {
  return isEndUnknown({ state, endedAt }) ? endUnknown : stateFaces[state];
}

const endUnknown: Face = { word: 'end unknown', glyph: 'unknown', color: 'text-unknown' };

const stateFaces: Record<Action['state'], Face> = {
  accepted: { word: 'accepted', glyph: 'waiting', color: 'text-rolling' },
  following: { word: 'in progress', glyph: 'restart', color: 'text-rolling' },
  done: { word: 'done', glyph: 'complete', color: 'text-complete' },
  failed: { word: 'failed', glyph: 'failed', color: 'text-stuck' },
  refused: { word: 'refused', glyph: 'lock', color: 'text-degraded' },
};
