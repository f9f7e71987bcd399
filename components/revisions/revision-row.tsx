'use client';

import { clsx } from 'clsx';
import { Button } from '@/components/ui/button';
import { Glyph } from '@/components/ui/glyph';
import { MomentText } from '@/components/ui/moment-text';
import { PodTicks } from '@/components/ui/pod-ticks';
import { RowHead, Td, Tr } from '@/components/ui/table';
import { Tag } from '@/components/ui/tag';
import { useNow } from '@/components/ui/time';
import { TimedText } from '@/components/ui/timed-text';
import { labelOf, type Pair, revisionLabel } from '@/components/revisions/choose-pair';
import { type RevisionItem, type WorkloadDetail } from '@/lib/api/workloads';
import { type Span } from '@/lib/timeline/span';
import { versionOf } from '@/lib/view/image-name';
import { type Moment, sayLength } from '@/lib/view/moment';
import { isController, toolOf } from '@/lib/view/tool';

const MINUTE_MS = 60_000;
const TEXT_LENGTH_MAX = 300;

/** One revision: chosen or not, live or not, what changed, why, with what, and since when. */
export function RevisionRow({
  revision,
  active,
  span,
  workload,
  revisions,
  pair,
  onPair,
  current,
  pointed,
  onPoint,
  onSelect,
  onRollback,
  blocked,
  withCause,
}: {
  revision: RevisionItem;
  active: Moment;
  span: Span | null;
  workload: WorkloadDetail['workload'];
  revisions: readonly RevisionItem[];
  pair: Pair;
  onPair: (change: Partial<Pair>) => void;
  current: boolean;
  pointed: boolean;
  onPoint: (revisionId: string | null) => void;
  onSelect: (revisionId: string) => void;
  onRollback: (revisionId: string) => void;
  blocked: string | null;
  /** There is room for the cause. */
  withCause: boolean;
}) {
  const label = revisionLabel(revision);
  const chosen = pair.from === revision.id || pair.to === revision.id;
  const isDim = !revision.live && !chosen;
  return (
    <Tr
      current={current}
      chosen={chosen || pointed}
      data-revision={revision.id}
      onPointerEnter={() => onPoint(revision.id)}
      onPointerLeave={() => onPoint(null)}
      onClick={(event) => isOwnClick(event) && onSelect(revision.id)}
      className={clsx(
        'max-desk:grid max-desk:grid-cols-[auto_minmax(0,1fr)_auto] max-desk:gap-x-2.5 max-desk:gap-y-px max-desk:py-2.5',
        (chosen || current) && 'max-desk:bleed',
      )}
    >
      <Td className="pl-1.5 max-desk:hidden">
        <Choice
          side="from"
          label={label}
          checked={pair.from === revision.id}
          onChoose={() => onPair({ from: revision.id })}
        />
        <Choice
          side="to"
          label={label}
          checked={pair.to === revision.id}
          onChoose={() => onPair({ to: revision.id })}
        />
      </Td>
      <RowHead>
        <span className="inline-flex items-center gap-1.5 max-desk:h-5">
          <span className="font-mono text-code font-medium tracking-[-0.02em]" title={revision.name}>
            {label}
          </span>
          <FormerNumbers revision={revision} />
        </span>
      </RowHead>
      <Td className="text-small max-desk:[grid-area:2/1/3/3]">
        <LiveCell revision={revision} workload={workload} />
      </Td>
      <Td
        title={revision.images
          .map(({ container, image }) => `${container}: ${image}`)
          .join('\n')
          .slice(0, TEXT_LENGTH_MAX)}
        className={clsx('literal max-desk:[grid-area:1/2]', isDim && 'text-ink-3')}
      >
        {versionOf(revision.images)}
      </Td>
      <Td className="text-ink-2 max-desk:col-span-full max-desk:whitespace-normal">
        <ChangeCell revision={revision} revisions={revisions} />
      </Td>
      {withCause && (
        <Td>
          <CauseCell revision={revision} workload={workload} dim={isDim} />
        </Td>
      )}
      <Td className="text-small max-desk:[grid-area:1/3] max-desk:text-end">
        <MomentText
          moment={active}
          className={active.kind === 'at' && !isDim ? 'text-ink-2' : 'text-ink-3'}
        />
      </Td>
      <Td numeric className="text-small text-ink-2 max-desk:[grid-area:2/3]">
        {span && <ActiveFor span={span} open={revision.target} />}
      </Td>
      <Td
        className={clsx(
          'overflow-visible text-end',
          current ? 'max-desk:col-span-full max-desk:text-start' : 'max-desk:hidden',
        )}
      >
        {!revision.target && revision.retained && (
          <Button
            size="small"
            tone="quiet"
            disabled={blocked !== null}
            disabledReason={blocked ?? undefined}
            onClick={() => onRollback(revision.id)}
            className={clsx(
              '-mr-2 group-hover/row:text-ink max-desk:mt-1.5 max-desk:border-line-2',
              blocked !== null ? 'border-transparent! bg-transparent!' : current ? 'text-ink' : 'text-ink-3!',
            )}
          >
            Roll back…
            <span className="sr-only"> to revision {label}</span>
          </Button>
        )}
      </Td>
    </Tr>
  );
}

function Choice({
  side,
  label,
  checked,
  onChoose,
}: {
  side: 'from' | 'to';
  label: string;
  checked: boolean;
  onChoose: () => void;
}) {
  return (
    <label className="relative -ml-1 inline-grid size-6 cursor-pointer place-items-center align-middle">
      <input
        type="radio"
        name={`compare-${side}`}
        checked={checked}
        onChange={onChoose}
        className="peer absolute inset-0 m-0 size-6 cursor-pointer opacity-0"
      />
      <span
        aria-hidden
        className="size-[13px] rounded-full border-[1.25px] border-control bg-surface peer-checked:border-[4px] peer-checked:border-accent peer-focus-visible:outline-2 peer-focus-visible:outline-offset-1 peer-focus-visible:outline-focus"
      />
      <span className="sr-only">{`Compare ${side} ${label}`}</span>
    </label>
  );
}

function FormerNumbers({ revision }: { revision: RevisionItem }) {
  const former = revision.alsoNumbers.filter((number) => number !== revision.number);
  if (former.length === 0 && revision.explanation === null) return null;
  return (
    <span
      className="inline-flex items-center gap-1 text-small text-ink-3"
      title={revision.explanation ?? undefined}
    >
      <Glyph name="back" size={12} className="text-back" />
      {former.length > 0 ? `was ${former.at(-1)}` : 'again'}
    </span>
  );
}

function LiveCell({ revision, workload }: { revision: RevisionItem; workload: WorkloadDetail['workload'] }) {
  const { id, number, target, live, current, pods, prunedNext } = revision;
  const isStuck = target && (workload.state === 'stuck' || workload.state === 'deadlineExceeded');
  const group = { revision: number, id, target, pods: pods.total, ready: pods.ready };
  return (
    <span className="inline-flex h-5 items-center gap-1.5">
      {target ? (
        <Tag tone="target">target</Tag>
      ) : live ? (
        <Tag tone="live">live</Tag>
      ) : (
        <span className="text-ink-3">not live</span>
      )}
      {current && !target && (
        <Tag tone="line" title="The controller still counts it as the current one">
          current
        </Tag>
      )}
      {pods.total > 0 && (
        <>
          <PodTicks groups={[group]} stuck={isStuck} />
          <span className={isStuck && pods.ready < pods.total ? 'text-stuck' : undefined}>
            {readyText(pods)}
          </span>
        </>
      )}
      {target && pods.total === 0 && <span className="text-ink-3">no pods</span>}
      {prunedNext && (
        <Tag
          tone="line"
          glyph="pruned"
          title="Deleted by the revisionHistoryLimit as soon as one more revision is recorded"
        >
          pruned next
        </Tag>
      )}
    </span>
  );
}

function readyText({ total, ready }: RevisionItem['pods']): string {
  if (ready === total) return `${total} ready`;
  return ready === 0 ? `${total}, none ready` : `${ready} of ${total} ready`;
}

function ChangeCell({ revision, revisions }: { revision: RevisionItem; revisions: readonly RevisionItem[] }) {
  const { summary, restart, risks, explanation, duplicateOf, sharesNumber } = revision;
  const text = (summary ?? 'first revision that is kept').slice(0, TEXT_LENGTH_MAX);
  return (
    <>
      <span className="flex min-w-0 items-center gap-2">
        <span className="min-w-0 truncate max-desk:whitespace-normal" title={text}>
          {restart && <Glyph name="restart" size={12} className="mr-1.5 text-ink-3" />}
          {summary === null ? <span className="text-ink-3">{text}</span> : <SummaryText text={text} />}
        </span>
        {risks > 0 && (
          <Tag tone="risk" glyph="degraded" className="flex-none">
            {risks === 1 ? '1 risk' : `${risks} risks`}
          </Tag>
        )}
        {duplicateOf !== null && (
          <Tag tone="line" title="Its template means the same" className="flex-none">
            same as {labelOf(revisions, duplicateOf)}
          </Tag>
        )}
        {sharesNumber && (
          <Tag tone="risk" title="Another revision has this number too" className="flex-none">
            number not unique
          </Tag>
        )}
      </span>
      {explanation !== null && (
        <span className="block pb-1.5 text-small whitespace-normal text-ink-3">
          <TimedText text={explanation} />
        </span>
      )}
    </>
  );
}

/** The new version of an image stands out: it is what most readers look for. */
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

/** A cause that was merely copied on by the next rollout is not the cause of that one. */
function CauseCell({
  revision,
  workload,
  dim,
}: {
  revision: RevisionItem;
  workload: WorkloadDetail['workload'];
  dim: boolean;
}) {
  const { changeCause, causeInheritedFrom } = revision;
  const cause = changeCause?.slice(0, TEXT_LENGTH_MAX);
  const tool = toolOfRevision(revision, workload);
  return (
    <>
      {cause === undefined ? (
        <span className="text-ink-3">not recorded</span>
      ) : causeInheritedFrom !== null ? (
        <span className="text-ink-3" title={`Repeats the cause of ${causeInheritedFrom}: ${cause}`}>
          inherited from {causeInheritedFrom}
        </span>
      ) : (
        <span title={cause} className={dim ? 'text-ink-2' : undefined}>
          {cause}
        </span>
      )}
      {tool !== null && <span className="pl-2 text-small text-ink-3">via {tool}</span>}
    </>
  );
}

/** The tool that wrote the template; of past ones only the controller that recorded them has signed. */
function toolOfRevision(
  { target, writer }: RevisionItem,
  { lastRollout }: WorkloadDetail['workload'],
): string | null {
  const mark = target ? (lastRollout?.writer ?? writer) : writer;
  return mark === null || isController(mark.manager) ? null : toolOf(mark.manager);
}

function ActiveFor({ span, open }: { span: Span; open: boolean }) {
  const nowMs = useNow(MINUTE_MS);
  const endMin = open ? nowMs : span.endMin;
  const endMax = open ? nowMs : span.endMax;
  return <>{sayLength(Math.max(0, endMin - span.startMax), Math.max(0, endMax - span.startMin))}</>;
}

function isOwnClick(event: React.MouseEvent): boolean {
  const target = event.target;
  if (target instanceof Element && target.closest('a, button, label, input')) return false;
  return window.getSelection()?.type !== 'Range';
}
