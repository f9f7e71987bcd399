'use client';

import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { HistoryFacts } from '@/components/rollout-histories/history-facts';
import { findingLabel, stateAppearance, podsText } from '@/components/rollout-histories/history-labels';
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
import type { RolloutHistoryDetail, RolloutHistoryItem } from '@/lib/api/rollout-histories';
import { recordPagePath } from '@/components/queries/records';
import { rolloutHistoryQuery, type RolloutHistoryRef } from '@/components/queries/rollout-histories';
import { capitalize, formatCount } from '@/lib/format/text';
import { outcomes } from '@/lib/api/record-values';
import { outcomeLabel } from '@/lib/view/record-text';
import { GroupRow, RowHead, Table, Td, Th, Thead, Tr } from '@/components/ui/table';

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
            <span className="text-ink-2">{describeOutcome(outcome)}</span>
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

function describeOutcome(outcome: string | null): string {
  if (outcome === null) return outcomeLabel({ outcome });
  const known = outcomes.find((one) => one === outcome);
  return known === undefined ? capitalize(outcome) : outcomeLabel({ outcome: known });
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

const PODS_AT_FIRST = 20;
const COLUMNS = ['34%', '33%', '33%'];

/** The steps of the record, each with its pods. */
function HistorySteps({ history }: { history: RolloutHistoryItem }) {
  const { steps } = history;
  if (steps.length === 0) return null;
  return (
    <section aria-labelledby="steps" className="pt-6">
      <SectionHead
        id="steps"
        title="Steps"
        remark={`${formatCount(steps.length, 'step')}, ${podsText(history)} as labeled at completion`}
        className="pb-1"
      />
      <Table label="Steps with their pods" columns={COLUMNS}>
        <Thead>
          <Th>Pod</Th>
          <Th>Node</Th>
          <Th>Pod IP</Th>
        </Thead>
        {steps.map((step) => (
          <StepRows key={step.index} step={step} />
        ))}
      </Table>
    </section>
  );
}

function StepRows({ step }: { step: RolloutHistoryItem['steps'][number] }) {
  const [all, setAll] = useState(false);
  const shown = all ? step.pods : step.pods.slice(0, PODS_AT_FIRST);
  return (
    <tbody role="rowgroup" className="max-desk:block">
      <GroupRow
        title={`Step ${step.index}`}
        remark={step.podCount === 0 ? 'no pods recorded' : podsText({ steps: [step] })}
        span={COLUMNS.length}
      />
      {shown.map((pod) => (
        <Tr key={pod.name} className="max-desk:grid max-desk:grid-cols-2 max-desk:gap-x-3 max-desk:py-1.5">
          <RowHead className="literal max-desk:col-span-2">{pod.name}</RowHead>
          <Td className="text-ink-2">{pod.node ?? <NotRecorded />}</Td>
          <Td className="literal text-ink-2">{pod.ip ?? <NotRecorded />}</Td>
        </Tr>
      ))}
      {shown.length < step.pods.length && (
        <tr role="row" className="max-desk:block">
          <td role="cell" colSpan={COLUMNS.length} className="h-8 max-desk:block">
            <Button size="small" tone="quiet" onClick={() => setAll(true)} className="-ml-2">
              Show all {step.pods.length.toLocaleString('en')}
            </Button>
          </td>
        </tr>
      )}
    </tbody>
  );
}

function NotRecorded() {
  return <span className="font-sans text-ink-3">Unknown</span>;
}
