'use client';

import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { HistoryFacts } from '@/components/rollout-histories/history-facts';
import { HistorySteps } from '@/components/rollout-histories/history-steps';
import { findingLabel, stateAppearance } from '@/components/rollout-histories/history-labels';
import { Button } from '@/components/ui/button';
import { CopyButton } from '@/components/ui/copy-button';
import { Crumbs } from '@/components/ui/crumbs';
import { Glyph } from '@/components/ui/glyph';
import { TextLink } from '@/components/ui/link';
import { FooterNote } from '@/components/ui/footer-note';
import { useClusterOfPage } from '@/components/shared/cluster-of-page';
import { Waiting } from '@/components/shared/waiting';
import { SectionHead } from '@/components/ui/section-head';
import { Sentence } from '@/components/ui/sentence';
import { Skeleton, SkeletonRows } from '@/components/ui/skeleton';
import { StaleNotice } from '@/components/ui/stale-notice';
import { Tag } from '@/components/ui/tag';
import { AbsoluteTime } from '@/components/ui/time';
import { ObjectError } from '@/components/shared/object-error';
import { type RolloutHistoryDetail, type RolloutHistoryItem } from '@/lib/api/rollout-histories';
import { recordPagePath } from '@/components/queries/records';
import { rolloutHistoryQuery, type RolloutHistoryRef } from '@/components/queries/rollout-histories';
import { capitalize } from '@/lib/format/text';

/** One record of a rollout as its system stores it: every fact with its source and its reliability. */
export function RolloutHistory({ of }: { of: RolloutHistoryRef }) {
  const { name } = of;
  const { data, error, refetch } = useQuery(rolloutHistoryQuery(of));
  useClusterOfPage(of, data?.history.cluster);
  return (
    <>
      <Crumbs
        items={[
          { label: 'History', href: '/records' },
          { label: 'OpenKruise RolloutHistory', href: '/rollout-histories' },
          { label: name },
        ]}
      >
        <CopyButton
          size="small"
          tone="quiet"
          glyph="copy"
          label="Copy link to this object"
          text={() => window.location.href}
        >
          Copy link
        </CopyButton>
      </Crumbs>
      <StaleNotice onRetry={() => void refetch()} className="mt-3" />
      <Waiting
        answer={{ data, error }}
        loading={<Loading />}
        failed={(failure) => (
          <ObjectError what={name} error={failure} onRetry={() => void refetch()} className="mt-3" />
        )}
        onRetry={() => void refetch()}
        missing="Incomplete."
        className="mt-3"
      >
        {(loaded) => <Loaded data={loaded} />}
      </Waiting>
      <FooterNote>{`${of.namespace}/${name}`}</FooterNote>
    </>
  );
}

function Loaded({ data: { history, template } }: { data: RolloutHistoryDetail }) {
  const appearance = stateAppearance[history.state];
  return (
    <article className="max-w-[1100px] pb-8">
      <Sentence
        lead={
          <span className={appearance.color}>
            <span className="mr-1.5 inline-flex translate-y-0.5">
              <Glyph name={appearance.glyph} size={18} />
            </span>
            {appearance.word}.
          </span>
        }
      >
        {history.message}
      </Sentence>
      <Findings history={history} />
      <HistoryFacts history={history} />
      <HistorySteps history={history} />
      <ShiplogRecords history={history} />
      {template !== null && <Template template={template} />}
    </article>
  );
}

function Findings({ history: { findings } }: { history: RolloutHistoryItem }) {
  if (findings.length === 0) return null;
  return (
    <ul aria-label="Problems" className="pt-2">
      {findings.map(({ code, text }) => (
        <li key={code} className="flex items-baseline gap-2.5 py-1 text-ink-2">
          <Tag tone={code === 'shiplog' ? 'line' : 'risk'} className="flex-none">
            {findingLabel(code)}
          </Tag>
          <span className="min-w-0 [overflow-wrap:anywhere]">{text}</span>
        </li>
      ))}
    </ul>
  );
}

/** Shiplog's own records of the same revision: only the revision proves that they belong together. */
function ShiplogRecords({ history: { records, findings } }: { history: RolloutHistoryItem }) {
  if (records.length === 0) return null;
  const isWrittenByShiplog = findings.some(({ code }) => code === 'shiplog');
  return (
    <section aria-labelledby="records" className="pt-6">
      <SectionHead
        id="records"
        title="Shiplog’s records"
        remark={isWrittenByShiplog ? 'source of this object' : 'rollouts of the same revision'}
        className="pb-1.5"
      />
      <ul className="border-t border-line">
        {records.map(({ id, outcome, startedAt, endedAt }) => (
          <li key={id} className="flex min-h-[31px] flex-wrap items-center gap-x-3 border-b border-hair">
            <TextLink href={recordPagePath(id)}>
              {startedAt === null ? 'Start not observed' : <AbsoluteTime iso={startedAt} />}
            </TextLink>
            <span className="text-ink-2">{outcomeLabel(outcome)}</span>
            {endedAt !== null && (
              <span className="text-small text-ink-3">
                Ended <AbsoluteTime iso={endedAt} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function outcomeLabel(outcome: string | null): string {
  if (outcome === null) return 'In progress';
  return outcome === 'rolledBack' ? 'Rolled back' : capitalize(outcome);
}

function Template({ template }: { template: NonNullable<RolloutHistoryDetail['template']> }) {
  const [open, setOpen] = useState(false);
  return (
    <section aria-labelledby="template" className="pt-6">
      <SectionHead
        id="template"
        title="Pod template"
        remark="at completion; secret values are masked"
        end={
          <Button size="small" tone="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? 'Hide' : 'Show'}
          </Button>
        }
      />
      {open && (
        <pre
          // A scrolling region must be focusable.
          tabIndex={0}
          className="mt-1.5 max-h-[480px] overflow-auto rounded-3 border border-line bg-surface p-3 text-code"
        >
          {JSON.stringify(template, null, 2)}
        </pre>
      )}
    </section>
  );
}

function Loading() {
  return (
    <div className="pt-3">
      <Skeleton width="min(520px, 85%)" height={20} />
      <div className="mt-6 border-t border-line">
        <SkeletonRows rows={8} label="Loading the object" rowHeight={31} />
      </div>
    </div>
  );
}
