import { type GlyphName } from '@/components/ui/glyph';
import { type Action } from '@/lib/api/actions';

/** What was done, as a command. */
export const actionWords: Record<Action['action'], string> = {
  rollback: 'Roll back',
  pause: 'Pause',
  resume: 'Resume',
  restart: 'Restart',
  partition: 'Move partition',
  deletePod: 'Delete pod',
  approve: 'Approve step',
  jump: 'Jump to step',
  disable: 'Disable',
  enable: 'Enable',
  promoteFull: 'Promote fully',
  abort: 'Abort release',
  retry: 'Retry release',
  delete: 'Delete rollout',
};

export const stateFaces: Record<Action['state'], { word: string; glyph: GlyphName; color: string }> = {
  accepted: { word: 'accepted', glyph: 'waiting', color: 'text-rolling' },
  following: { word: 'under way', glyph: 'restart', color: 'text-rolling' },
  done: { word: 'done', glyph: 'complete', color: 'text-complete' },
  failed: { word: 'failed', glyph: 'failed', color: 'text-stuck' },
  refused: { word: 'refused', glyph: 'lock', color: 'text-degraded' },
};
