'use client';

import { clsx } from 'clsx';
import Link from 'next/link';
import { ActorName } from '@/components/shared/actor-name';
import { Glyph } from '@/components/ui/glyph';
import { PodTicks } from '@/components/ui/pod-ticks';
import { RolloutOutcome } from '@/components/shared/rollout-outcome';
import { Tag } from '@/components/ui/tag';
import { AbsoluteTime, useNow } from '@/components/ui/time';
import { LocalizedTimesText } from '@/components/ui/localized-times-text';
import type { RevisionRowItem } from '@/components/revisions/revision-rows';
import type { RevisionItem } from '@/lib/api/revisions';
import type { RolloutSummary } from '@/lib/api/records';
import { recordPagePath } from '@/components/queries/records';
import type { Span } from '@/lib/timeline/span';
import { cutEnd } from '@/lib/format/text';
import { formatDurationRange } from '@/lib/format/moment';
import { isController, toolOf } from '@/lib/view/tool';
import type { WorkloadState } from '@/lib/api/workload-values';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** Text from the cluster can have any length. */
export const TEXT_LENGTH_MAX = 300;

/** In a list of revisions: the number that it had before a rollback. */
export function FormerNumbers({ revision }: { revision: RevisionItem }) {
  const former = revision.alsoNumbers.filter((number) => number !== revision.number);
  if (former.length === 0 && revision.explanation === null) return null;
  return (
    <span
      className="inline-flex items-center gap-1 text-small text-ink-3"
      title={revision.explanation ?? undefined}
    >
      <Glyph name="back" size={12} className="text-back" />
      {former.length > 0 ? `was ${former.at(-1)}` : 'reused'}
    </span>
  );
}

/** Target, live, not live, or only in the archive; with the pods that run it. */
export function LiveCell({
  row: { revision, isLast },
  state,
  isDeleted,
  brief,
}: {
  row: RevisionRowItem;
  state: WorkloadState | undefined;
  /** Its workload is deleted. */
  isDeleted: boolean;
  /** No room for when the revision was pruned. */
  brief: boolean;
}) {
  const { id, number, target, live, current, pods, prunedNext, retained } = revision;
  // What is true of the revision now stands once, in the row of its last activation.
  if (!isLast)
    return <span className="text-ink-3">{number === null ? 'Active again later' : `Now rev ${number}`}</span>;
  if (!retained) return <ArchivedCell revision={revision} isDeleted={isDeleted} brief={brief} />;
  const isStuck = target && (state === 'stuck' || state === 'deadlineExceeded');
  const group = { revision: number, id, target, pods: pods.total, ready: pods.ready };
  return (
    <span className="inline-flex h-5 max-w-full items-center gap-1.5 max-desk:h-auto max-desk:min-h-5 max-desk:flex-wrap">
      {target ? (
        <Tag tone="target">Target</Tag>
      ) : live ? (
        <Tag tone="live">Live</Tag>
      ) : (
        <span className="text-ink-3">{revision.livenessUnknown === true ? 'Unknown' : 'Not live'}</span>
      )}
      {current && !target && (
        <Tag tone="line" title="The controller still counts this revision as current">
          Current
        </Tag>
      )}
      {pods.total > 0 && (
        <>
          <PodTicks groups={[group]} stuck={isStuck} />
          <span
            title={readyText(pods)}
            className={clsx('min-w-0 truncate', isStuck && pods.ready < pods.total && 'text-stuck')}
          >
            {readyText(pods)}
          </span>
        </>
      )}
      {target && pods.total === 0 && <span className="text-ink-3">No pods</span>}
      {prunedNext && (
        <Tag
          tone="line"
          glyph="pruned"
          title="Next to be deleted from the cluster: by the history limit at the next revision, or, for a LeaderWorkerSet, when the rollout completes. Shiplog keeps it in the archive."
        >
          {/* Next to pods there is no room for the text. */}
          <span className={pods.total > 0 ? 'desk:sr-only' : undefined}>Pruned next</span>
        </Tag>
      )}
    </span>
  );
}

function ArchivedCell({
  revision: { target, archived, live, pods },
  isDeleted,
  brief,
}: {
  revision: RevisionItem;
  isDeleted: boolean;
  brief: boolean;
}) {
  const prunedAt = archived?.prunedAt ?? null;
  return (
    <span className="inline-flex h-5 items-center gap-1.5">
      <Tag tone="line" glyph="archive" title="Deleted from the cluster; Shiplog keeps its template">
        Archived
      </Tag>
      {isDeleted ? (
        target && <span className="text-ink-3">Last target</span>
      ) : live && pods.total > 0 ? (
        <span>{readyText(pods)}</span>
      ) : (
        prunedAt !== null &&
        !brief && (
          <span className="text-ink-3" title="When the cluster deleted it">
            Pruned <AbsoluteTime iso={prunedAt} form="short" />
          </span>
        )
      )}
    </span>
  );
}

function readyText({ total, ready }: RevisionItem['pods']): string {
  if (ready === total) return `${total} ready`;
  return `${ready} of ${total} ready`;
}

/** What changed in one line, with notes about the revision itself. */
export function ChangeCell({
  row: { revision, change, sameAs, isLast },
  duplicateLabel,
  againstLabel,
  explained,
}: {
  row: RevisionRowItem;
  duplicateLabel: string | null;
  /** The revision that its change is relative to; null where that is the row below. */
  againstLabel: string | null;
  /** Says what happened to its number. A list of rollouts shows it. */
  explained: boolean;
}) {
  const { explanation, sharesNumber, archived, notes, unreadable, fault } = revision;
  const { summary, restart, risks } = change;
  const unknown =
    unreadable !== undefined
      ? 'Unreadable'
      : fault !== undefined
        ? 'No template'
        : revision.before === undefined && isLast
          ? 'Oldest known revision'
          : 'Unknown';
  const text = cutEnd(summary ?? unknown, TEXT_LENGTH_MAX);
  return (
    <>
      <span className="flex min-w-0 items-center gap-2 max-desk:flex-wrap max-desk:gap-y-0">
        {sameAs === null ? (
          <span
            className="min-w-0 truncate max-desk:[overflow-wrap:anywhere] max-desk:whitespace-normal"
            title={text}
          >
            {restart && <Glyph name="restart" size={12} className="mr-1.5 text-ink-3" />}
            {summary === null ? <span className="text-ink-3">{text}</span> : <SummaryText text={text} />}
          </span>
        ) : (
          <span className="inline-flex min-w-0 items-center gap-1 text-ink" title={text}>
            <Glyph name="back" size={12} className="text-back" />
            <span className="min-w-0 truncate">
              {sameAs.number === null
                ? 'Same template as an earlier revision'
                : `Same template as rev ${sameAs.number}`}
            </span>
          </span>
        )}
        {againstLabel !== null && summary !== null && (
          <span
            className="flex-none text-small text-ink-3"
            title={
              change.before?.ran === true
                ? `${againstLabel} was the target before.`
                : `The previous target is unknown; ${againstLabel} is the nearest known revision.`
            }
          >
            compared with {againstLabel}
          </span>
        )}
        {risks > 0 && (
          <Tag tone="risk" glyph="degraded" className="flex-none">
            {risks === 1 ? '1 risk' : `${risks} risks`}
          </Tag>
        )}
        {fault !== undefined && (
          <Tag tone="risk" glyph="unknown" title={fault} className="flex-none">
            Unreadable
          </Tag>
        )}
        {archived?.hasTemplate === false && (
          <Tag tone="line" title={templateExpiredText} className="flex-none">
            Template expired
          </Tag>
        )}
        {duplicateLabel !== null && (
          <Tag tone="line" title="The two templates have no effective difference" className="flex-none">
            Same as {duplicateLabel}
          </Tag>
        )}
        {sharesNumber && (
          <Tag tone="risk" title="Another revision has the same number" className="flex-none">
            Duplicate number
          </Tag>
        )}
      </span>
      {notes !== undefined && (
        <span className="block pb-1.5 text-small whitespace-normal text-ink-3 [overflow-wrap:anywhere]">
          {notes.join(' · ')}
        </span>
      )}
      {unreadable !== undefined && (
        <span className="block pb-1.5 text-small whitespace-normal text-stuck">{unreadable}</span>
      )}
      {fault !== undefined && (
        <span className="block pb-1.5 text-small whitespace-normal text-ink-3">
          {fault} Its recorded content is listed below.
        </span>
      )}
      {explained && explanation !== null && (
        <span className="block pb-1.5 text-small whitespace-normal text-ink-3">
          <LocalizedTimesText text={explanation} />
        </span>
      )}
    </>
  );
}

/** Why a revision without a template can neither be compared nor rolled back to. */
export const templateExpiredText =
  'Its template has expired from the archive. It cannot be compared or rolled back to.';

/** The new version of an image is emphasized: most readers look for it. */
function SummaryText({ text }: { text: string }) {
  const image = /^(.*?\bimage \S+ → )([^\s;]+)(.*)$/s.exec(text);
  if (image === null) return text;
  return (
    <>
      {image[1]}
      <b className="text-ink">{image[2]}</b>
      {image[3]}
    </>
  );
}

/** The next rollout may copy a change cause; the copy is not its own change cause. */
export function CauseCell({
  row: { revision, record, isLast },
  dim,
}: {
  row: RevisionRowItem;
  dim: boolean;
}) {
  const { changeCause, causeInheritedFrom } = revision;
  if (isLast && causeInheritedFrom !== null) {
    return (
      <span className="text-ink-3" title={`Copied from revision ${causeInheritedFrom}: ${changeCause ?? ''}`}>
        Copied from rev {causeInheritedFrom}
      </span>
    );
  }
  // The annotation is that of the last activation.
  const cause = (record?.cause ?? (isLast ? changeCause : null))?.slice(0, TEXT_LENGTH_MAX);
  if (cause === undefined) {
    return (
      <span className="text-ink-3">
        <span aria-hidden="true">–</span>
        <span className="sr-only">None</span>
      </span>
    );
  }
  return (
    <span title={cause} className={dim ? 'text-ink-2' : undefined}>
      {cause}
    </span>
  );
}

/** Who began its last rollout; where none was recorded, the tool that wrote it, if its field manager is known. */
export function ChangedByCell({
  record,
  writer,
}: {
  record: RolloutSummary | null;
  writer: RevisionItem['writer'];
}) {
  if (record !== null) return <ActorName actor={record.actor} />;
  if (writer === null || isController(writer.manager)) return <ActorName actor={null} />;
  return (
    <>
      <span className="text-ink-3">via</span> {toolOf(writer.manager)}
    </>
  );
}

/** The outcome of the rollout, with a link to its record. */
export function OutcomeCell({
  record,
  withDuration,
}: {
  record: RolloutSummary | null;
  withDuration: boolean;
}) {
  if (record === null) return <span className="text-ink-3">Unknown</span>;
  return (
    <Link
      href={recordPagePath(record.id)}
      prefetch={false}
      title="Open the record of this rollout"
      className="inline-block max-w-full truncate rounded-2 align-bottom hover:underline max-desk:py-1"
    >
      <RolloutOutcome rollout={record} withDuration={withDuration} />
    </Link>
  );
}

export function ActiveFor({ span, open }: { span: Span; open: boolean }) {
  const nowMs = useNow(open ? SECOND_MS : MINUTE_MS);
  const endMin = open ? nowMs : span.endMin;
  const endMax = open ? nowMs : span.endMax;
  return <>{formatDurationRange(Math.max(0, endMin - span.startMax), Math.max(0, endMax - span.startMin))}</>;
}
