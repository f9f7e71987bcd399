import { VerdictTag } from '@/components/shared/verdict-tag';
import { ClusterTag } from '@/components/shared/cluster-tag';
import { Glyph, type GlyphName } from '@/components/ui/glyph';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
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

/** The workload of a review. */
export function EventTargetCell({ event: { workload } }: { event: ActivityEvent }) {
  if (workload === null) return null;
  const { name, namespace, cluster } = workload;
  return (
    <>
      <b className="flex min-w-0">
        <MiddleEllipsis text={name} />
      </b>
      <span className="truncate text-small text-ink-3">{namespace}</span>
      <ClusterTag cluster={cluster} className="flex-none" />
    </>
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
