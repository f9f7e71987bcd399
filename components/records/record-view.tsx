'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { Button, ButtonLink } from '@/components/ui/button';
import { errorText } from '@/components/ui/error-state';
import { outcomeColor, OutcomeGlyph } from '@/components/shared/outcome-glyph';
import { Waiting } from '@/components/shared/waiting';
import { Notice } from '@/components/ui/notice';
import { SectionHead } from '@/components/ui/section-head';
import { Skeleton, SkeletonRows } from '@/components/ui/skeleton';
import { showToast } from '@/components/ui/toast';
import { Discussion } from '@/components/records/discussion';
import { RecordChanges } from '@/components/records/record-changes';
import { RecordFacts, RecordProgressiveRollout } from '@/components/records/record-facts';
import { RecordTimelineEvents } from '@/components/records/record-timeline-events';
import { RecordSteps } from '@/components/records/record-steps';
import { SnippetButton } from '@/components/records/snippet-button';
import { VerdictLine } from '@/components/records/verdict-line';
import { RecordTrack } from '@/components/records/record-track';
import type { RecordAnswer } from '@/lib/api/records';
import type { Diff } from '@/lib/api/diff';
import { outcomeDuration, outcomeText, recordSubject } from '@/lib/view/record-text';
import { useCanWrite } from '@/components/shared/use-can-write';
import { recordPagePath, recordQuery, recordsKey, sendPin } from '@/components/queries/records';
import { MenuButton } from '@/components/ui/menu-button';
import { useShortcuts } from '@/components/ui/shortcuts';
import { downloadFile } from '@/components/ui/download-file';
import { apiPath } from '@/components/queries/client';
import { capitalize, formatCount } from '@/lib/format/text';

/**
 * One rollout, from the archive alone. `comparison` draws its full diff next to the short list; `verdict` is the form
 * of a reviewer.
 */
export function RecordView({
  id,
  comparison,
  verdict,
  isPage = false,
}: {
  id: string;
  /** Whether it is the only content of the page: then it has links to its neighbors. */
  isPage?: boolean;
  comparison?: (diff: Diff) => React.ReactNode;
  verdict: (record: RecordAnswer) => React.ReactNode;
}) {
  const { data, error, refetch } = useQuery(recordQuery(id));
  return (
    <Waiting
      answer={{ data, error }}
      loading={<LoadingRecord />}
      onRetry={() => void refetch()}
      heading={isPage ? 'h1' : 'h2'}
      className="mt-4"
    >
      {(record) => (
        <LoadedRecord record={record} isPage={isPage} comparison={comparison} verdict={verdict(record)} />
      )}
    </Waiting>
  );
}

function LoadedRecord({
  record,
  isPage,
  comparison,
  verdict,
}: {
  record: RecordAnswer;
  isPage: boolean;
  comparison?: (diff: Diff) => React.ReactNode;
  verdict: React.ReactNode;
}) {
  return (
    <article aria-labelledby="record-title" className="min-w-0 pb-6">
      {isPage && <RecordLinks record={record} />}
      <RecordHead record={record} />
      <RevertedNotice record={record} />
      {isPage && <VerdictLine review={record.review} />}
      <RecordFacts record={record} />
      <HiddenNote record={record} />
      <RecordProgressiveRollout record={record} />
      <div className={isPage ? 'full:grid full:grid-cols-[minmax(0,1fr)_412px] full:gap-x-12' : undefined}>
        <div className="min-w-0">
          <RecordTrack record={record} />
          {record.cause !== null && (
            <p className="pt-2.5 [overflow-wrap:anywhere]">
              <span className="mr-2 text-small text-ink-3">Change cause</span>“{record.cause}”
            </p>
          )}
          <RecordChanges record={record} comparison={comparison} />
          <RecordSteps record={record} />
          <RecordTimelineEvents record={record} />
        </div>
        <div className={isPage ? 'full:sticky full:top-(--top) full:self-start full:pb-4' : undefined}>
          <section aria-labelledby="discussion-title" className="pt-6 full:pt-4">
            <SectionHead id="discussion-title" title="Discussion" remark={remarkOf(record)} />
            <Discussion record={record} path={null} />
            {strayPathsOf(record).map((path) => (
              <div key={path} className="pt-3">
                <p className="pb-1 text-small text-ink-3">
                  On <code className="[overflow-wrap:anywhere]">{path}</code>, not among the changes above
                </p>
                <Discussion record={record} path={path} open={false} />
              </div>
            ))}
          </section>
          {verdict}
        </div>
      </div>
    </article>
  );
}

function RecordHead({ record }: { record: RecordAnswer }) {
  return (
    <div className="flex items-start justify-between gap-x-6 pt-2">
      <h1
        id="record-title"
        className="max-w-[46em] text-say text-pretty [overflow-wrap:anywhere] max-desk:text-[18px]/[25px]"
      >
        {record.workload.name}: {recordSubject(record)}{' '}
        <span className={outcomeColor(record)}>
          <span className="mr-1 inline-flex translate-y-0.5">
            <OutcomeGlyph record={record} size={17} />
          </span>
          {outcomeText(record)}
        </span>{' '}
        {outcomeDuration(record)}
        {record.revertedBy !== null && (
          <>
            {', '}
            <Link href={recordPagePath(record.revertedBy)} className="underline decoration-line-2">
              {revertLinkText(record.outcome)}
            </Link>
          </>
        )}
      </h1>
      <PinButton record={record} />
    </div>
  );
}

function revertLinkText(outcome: RecordAnswer['outcome']): string {
  switch (outcome) {
    case 'rolledBack':
      return 'see rollback';
    case 'undone':
      return 'see what followed';
    default:
      return 'later reverted';
  }
}

/** What has undone a rollout begun by hand, and what to do before the next one. */
function RevertedNotice({ record: { undoneBy, owners } }: { record: RecordAnswer }) {
  if (undoneBy === undefined) return null;
  return (
    <Notice tone="info" className="mt-3" title={`${undoneBy} put the template before back.`}>
      {owners.map(({ advice }) => advice).join(' ')}
    </Notice>
  );
}

/** The templates of a pinned record never expire. */
function PinButton({ record }: { record: RecordAnswer }) {
  const client = useQueryClient();
  const mayWrite = useCanWrite();
  async function toggle() {
    try {
      await sendPin(record.id, !record.pinned);
      await client.invalidateQueries({ queryKey: recordsKey });
    } catch (error) {
      showToast({ title: 'Pin not saved', body: errorText(error), tone: 'bad' });
    }
  }
  if (!mayWrite) return null;
  return (
    <Button
      size="small"
      tone="quiet"
      glyph={record.pinned ? 'check' : 'archive'}
      aria-pressed={record.pinned}
      title="Pin: keep the pod templates of this record indefinitely"
      disabledReason={record.refusals.pins}
      onClick={() => void toggle()}
      className="flex-none"
    >
      {record.pinned ? 'Pinned' : 'Pin'}
    </Button>
  );
}

/** Comments whose change has no line in the diff: without templates, for example, there are no lines at all. */
function strayPathsOf({ diff, review }: RecordAnswer): string[] {
  const shown = new Set(diff?.changes.map(({ path }) => path));
  const paths = review.comments.flatMap(({ path }) => (path === null || shown.has(path) ? [] : [path]));
  return [...new Set(paths)];
}

function remarkOf({ review: { comments } }: RecordAnswer): string {
  if (comments.length === 0) return 'no comments yet';
  const onChanges = comments.filter(({ path }) => path !== null).length;
  const total = formatCount(comments.length, 'comment');
  return onChanges === 0 ? total : `${total}, ${onChanges} on changes`;
}

function LoadingRecord() {
  return (
    <div className="pt-3">
      <h1 className="sr-only">Record</h1>
      <Skeleton width="min(560px, 85%)" height={18} />
      <div className="mt-6 border-t border-line">
        <SkeletonRows rows={8} label="Loading record…" />
      </div>
    </div>
  );
}

/** Previous and next rollout of the workload, the snippet and the download. */
function RecordLinks({ record }: { record: RecordAnswer }) {
  const router = useRouter();
  const { previous, next } = record.neighbours;
  const params = { id: record.id };
  const goTo =
    (id: string) =>
    ({ repeat }: KeyboardEvent) =>
      repeat ? undefined : router.push(recordPagePath(id));
  useShortcuts({
    ...(previous !== null && {
      '[': { label: 'Previous rollout of the workload', hint: 'previous, next rollout', run: goTo(previous) },
    }),
    ...(next !== null && {
      ']': { label: 'Next rollout of the workload', hint: 'previous, next rollout', run: goTo(next) },
    }),
  });
  return (
    <nav aria-label="This record" className="flex flex-wrap items-center gap-2 pt-2.5 print:hidden">
      {previous !== null && (
        <ButtonLink href={recordPagePath(previous)} size="small" glyph="chevron-left" kbd="[">
          Previous rollout
        </ButtonLink>
      )}
      {next !== null && (
        <ButtonLink href={recordPagePath(next)} size="small" glyphAfter="chevron-right" kbd="]">
          Next rollout
        </ButtonLink>
      )}
      <SnippetButton record={record} />
      <MenuButton
        size="small"
        tone="quiet"
        items={[
          {
            label: 'Record (JSON)',
            onSelect: () =>
              downloadFile(apiPath('GET /api/records/{id}', { params }), `record-${record.id}.json`),
          },
          {
            label: 'RolloutHistory (JSON)',
            hint: 'OpenKruise format',
            onSelect: () =>
              downloadFile(
                apiPath('GET /api/records/{id}', { params, query: { format: 'rollouthistory' } }),
                `rollouthistory-${record.id}.json`,
              ),
          },
        ]}
      >
        Download
      </MenuButton>
    </nav>
  );
}

/** What the viewer lacks a permission for; a missing diff has a note of its own. */
function HiddenNote({ record: { hidden, workload } }: { record: RecordAnswer }) {
  const parts = hidden.filter((part) => part !== 'templates');
  if (parts.length === 0) return null;
  return (
    <Notice
      tone="partial"
      title={`${parts.length === 2 ? 'Pods and events' : capitalize(parts[0] ?? '')} are hidden.`}
      className="mt-4"
    >
      You are not allowed to list {parts.join(' and ')} in namespace {workload.namespace}.
    </Notice>
  );
}
