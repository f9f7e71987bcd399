import type { GlyphName } from '@/components/ui/glyph';
import type { RolloutActionName } from '@/lib/api/action-values';

/** The glyph of an action on a rollout in steps, on its button and in its dialog. */
export const rolloutActionGlyphs: Readonly<Record<RolloutActionName, GlyphName>> = {
  approve: 'check',
  jump: 'superseded',
  pause: 'paused',
  resume: 'play',
  disable: 'minus',
  enable: 'play',
  promoteFull: 'superseded',
  abort: 'failed',
  retry: 'restart',
  restart: 'restart',
  rollback: 'back',
  delete: 'trash',
};
