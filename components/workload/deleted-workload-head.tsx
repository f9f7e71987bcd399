'use client';

import { ButtonLink } from '@/components/ui/button';
import { Glyph } from '@/components/ui/glyph';
import { Fact, Facts } from '@/components/ui/facts';
import { TextLink } from '@/components/ui/link';
import { Sentence } from '@/components/ui/sentence';
import { Tag } from '@/components/ui/tag';
import { AbsoluteTime } from '@/components/ui/time';
import { IncarnationsLine } from '@/components/workload/incarnations-line';
import { WorkloadCrumbs } from '@/components/workload/workload-crumbs';
import type { EarlierIncarnation } from '@/lib/api/earlier-incarnation';
import { formatAge } from '@/lib/format/duration';
import { workloadPagePath } from '@/components/queries/workload-ref';
import { formatCount } from '@/lib/format/text';

/** Location, what happened to the workload, and which data remains. */
export function DeletedWorkloadHead({
  past,
  isNamesake,
  recordsHref,
}: {
  past: EarlierIncarnation;
  /** Another workload has the name now. */
  isNamesake: boolean;
  recordsHref: string;
}) {
  const { workload, incarnation, incarnations, revisions } = past;
  const rollouts = new Set(
    revisions.flatMap(({ activations }) => activations.map(({ record }) => record?.id)),
  );
  rollouts.delete(undefined);
  return (
    <>
      <WorkloadCrumbs workload={workload}>
        <Tag>{workload.kind}</Tag>
        <Tag tone="line" glyph="archive">
          {isNamesake ? 'Earlier incarnation' : 'Deleted'}
        </Tag>
      </WorkloadCrumbs>
      <Sentence
        lead={
          <span className="inline-flex items-baseline gap-[7px] font-medium whitespace-nowrap text-ink-3 [&>svg]:self-center">
            <Glyph name="archive" size={18} />
            {isNamesake ? 'Earlier incarnation.' : 'Deleted'}
          </span>
        }
        actions={
          isNamesake ? (
            <ButtonLink href={workloadPagePath(workload)} glyphAfter="chevron-right">
              Current {workload.name}
            </ButtonLink>
          ) : undefined
        }
      >
        {isNamesake ? (
          <>
            This {workload.name} was deleted <DeletionTime iso={incarnation.to} />, and a new one was created
            with the same name.
          </>
        ) : (
          <>
            <DeletionTime iso={incarnation.to} />. This is its archived history.
          </>
        )}
      </Sentence>
      <IncarnationsLine workload={workload} incarnations={incarnations} shown={incarnation.uid} />
      <Facts>
        <Fact label="Lifetime">{lifetimeText(incarnation.from, incarnation.to)}</Fact>
        <Fact label="Created">
          <AbsoluteTime iso={incarnation.from} />
        </Fact>
        {incarnation.to !== null && (
          <Fact label="Deleted">
            <AbsoluteTime iso={incarnation.to} />
          </Fact>
        )}
        <Fact label="Archive" wide>
          <span>
            {formatCount(revisions.length, 'revision')},{' '}
            <TextLink href={recordsHref}>{formatCount(rollouts.size, 'recorded rollout')}</TextLink>
          </span>
        </Fact>
      </Facts>
    </>
  );
}

function DeletionTime({ iso }: { iso: string | null }) {
  return iso === null ? 'at an unknown time' : <AbsoluteTime iso={iso} />;
}

function lifetimeText(from: string, to: string | null): string {
  return to === null ? 'Unknown' : formatAge(Date.parse(to) - Date.parse(from));
}
