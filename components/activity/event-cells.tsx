import { VerdictTag } from '@/components/shared/verdict-tag';
import { Glyph, type GlyphName } from '@/components/ui/glyph';
import { type ActivityEvent } from '@/lib/api/activity-event';

const faces: Record<ActivityEvent['event'], { word: string; glyph: GlyphName }> = {
  verdict: { word: 'Verdict', glyph: 'review' },
  comment: { word: 'Comment', glyph: 'note' },
  edit: { word: 'Edited comment', glyph: 'note' },
  pin: { word: 'Pinned', glyph: 'archive' },
  unpin: { word: 'Unpinned', glyph: 'archive' },
  signIn: { word: 'Signed in', glyph: 'lock' },
  signOut: { word: 'Signed out', glyph: 'lock' },
  signInRefused: { word: 'Sign-in refused', glyph: 'failed' },
  clusterAccepted: { word: 'Accepted cluster', glyph: 'check' },
  clusterMoved: { word: 'Cluster moved', glyph: 'note' },
};

export function EventCell({ event: { event, verdict, code } }: { event: ActivityEvent }) {
  const { word, glyph } = faces[event];
  const isFailure = code !== null || event === 'signInRefused';
  return (
    <span className={`inline-flex items-center gap-1.5 ${isFailure ? 'text-stuck' : ''}`}>
      <Glyph name={isFailure ? 'failed' : glyph} size={12} />
      {word}
      {verdict !== null && <VerdictTag verdict={verdict} />}
    </span>
  );
}

export function EventDetailsCell({ event: { code, reason, address } }: { event: ActivityEvent }) {
  return (
    <>
      {code !== null && <span>Failed: {code}</span>}
      {reason !== null && <span>{reason} </span>}
      {address !== null && <span className="text-ink-3">from {address}</span>}
    </>
  );
}
