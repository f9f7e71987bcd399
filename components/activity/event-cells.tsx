import { ClusterTag } from '@/components/shared/cluster-tag';
import { Glyph, type GlyphName } from '@/components/ui/glyph';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import { type ActivityEvent } from '@/lib/api/activity-event';
import { verdictLabels } from '@/lib/view/report-text';

const faces: Record<ActivityEvent['event'], { word: string; glyph: GlyphName; color?: string }> = {
  verdict: { word: 'Verdict', glyph: 'complete' },
  comment: { word: 'Comment', glyph: 'terminal' },
  edit: { word: 'Edited comment', glyph: 'terminal' },
  pin: { word: 'Pinned', glyph: 'lock' },
  unpin: { word: 'Unpinned', glyph: 'lock' },
  signIn: { word: 'Signed in', glyph: 'lock' },
  signOut: { word: 'Signed out', glyph: 'lock' },
  signInRefused: { word: 'Refused', glyph: 'failed', color: 'text-stuck' },
};

export function EventCell({ event: { event, verdict, code } }: { event: ActivityEvent }) {
  const { word, glyph, color = '' } = faces[event];
  return (
    <span className={`inline-flex items-center gap-1.5 ${code === null ? color : 'text-stuck'}`}>
      <Glyph name={code === null ? glyph : 'failed'} size={12} />
      {word}
      {verdict !== null && <b>{verdictLabels[verdict]}</b>}
    </span>
  );
}

export function EventTargetCell({ event: { workload } }: { event: ActivityEvent }) {
  if (workload === null) return null;
  const { name, namespace, cluster } = workload;
  return (
    <span className="inline-flex max-w-full items-baseline gap-2">
      <b className="flex min-w-0">
        <MiddleEllipsis text={name} />
      </b>
      <span className="truncate text-small text-ink-3">{namespace}</span>
      <ClusterTag cluster={cluster} className="flex-none" />
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
