'use client';

import { clsx } from 'clsx';
import { CopyButton } from '@/components/ui/copy-button';
import { Glyph } from '@/components/ui/glyph';
import { ExternalLink } from '@/components/ui/link';
import { AbsoluteTime } from '@/components/ui/time';
import { LocalizedTimesText } from '@/components/ui/localized-times-text';
import type { ActionAnswer } from '@/lib/api/actions';
import type { Link } from '@/lib/api/common';
import type { Finding } from '@/lib/workloads/plan';
import { AppError } from '@/lib/errors';
import { formatCount } from '@/lib/format/text';

/** Results of the checks: blockers, warnings and notes, then the passed ones and the dry run in one line to unfold. */
export function Checks({
  answer: { findings: previewed, dryRun },
  sendError,
  links = [],
}: {
  answer: ActionAnswer;
  /** The rejection of the confirmed action: its findings come before those of the preview. */
  sendError: unknown;
  /** Links of the workload: that to its GitOps application stands beside its warning. */
  links?: readonly Link[];
}) {
  const rejected = rejectedFindings(sendError);
  const rejectedCodes = new Set(rejected.map(({ code }) => code));
  // The line at the end shows the dry run, with its time.
  const findings = [...rejected, ...previewed.filter(({ code }) => !rejectedCodes.has(code))].filter(
    ({ code }) => code !== 'dry_run_accepted',
  );
  const prominent = [...withSeverity(findings, 'refusal'), ...withSeverity(findings, 'warning')];
  const passed = withSeverity(findings, 'passed');
  const passedCount = passed.length + (dryRun?.accepted ? 1 : 0);
  return (
    <section aria-label="Checks">
      <ul>
        {prominent.map((finding) => (
          <ProminentFinding
            key={finding.code + finding.message}
            finding={finding}
            link={
              finding.code === 'gitops_owner' ? links.find(({ label }) => label === 'Argo CD') : undefined
            }
          />
        ))}
        {dryRun && !dryRun.accepted && withSeverity(findings, 'refusal').length === 0 && (
          <ProminentFinding
            finding={{
              severity: 'refusal',
              code: 'dry_run',
              message: 'The API server rejected the dry run.',
              action: dryRun.message,
            }}
          />
        )}
        {withSeverity(findings, 'info').map((finding) => (
          <FindingLine key={finding.code + finding.message} finding={finding} />
        ))}
      </ul>
      {passedCount > 0 && (
        <details className="group">
          <summary className={`${line} w-fit cursor-pointer list-none rounded-2 hover:text-ink`}>
            <Glyph name="check" size={13} className="mt-[3.5px] text-complete" />
            {formatCount(passedCount, 'check')} passed{dryRun?.accepted && ', including the dry run'}
            <Glyph name="chevron-down" size={12} className="mt-[3.5px] text-ink-3 group-open:rotate-180" />
          </summary>
          <ul className="grid gap-x-9 pl-[21px] desk:grid-cols-2">
            {passed.map((finding) => (
              <FindingLine key={finding.code + finding.message} finding={finding} />
            ))}
            {dryRun?.accepted && (
              <li className={line}>
                <Glyph name="check" size={13} className="mt-[3.5px] text-complete" />
                <span className="min-w-0 [overflow-wrap:anywhere]">
                  Server-side dry run passed{' '}
                  <span className="text-small text-ink-3">
                    <AbsoluteTime iso={dryRun.at} form="clock" />
                    {!['', 'accepted'].includes(dryRun.message) && `, ${dryRun.message}`}
                  </span>
                </span>
              </li>
            )}
          </ul>
        </details>
      )}
    </section>
  );
}

const line = 'flex min-h-6 items-start gap-2 py-0.5 text-[12.5px] max-desk:py-[5px] max-desk:text-body';

/** The first sentence is its heading. */
function ProminentFinding({ finding, link }: { finding: Finding; link?: Link | undefined }) {
  const blocks = finding.severity === 'refusal';
  const [, head = finding.message, rest = ''] = /^(.+?\.) (.+)$/s.exec(finding.message) ?? [];
  return (
    <li
      className={clsx(
        'mb-[7px] flex gap-2.5 rounded-3 px-3 py-[9px] text-[12.5px]/[18px]',
        blocks ? 'bg-stuck-soft' : 'bg-degraded-soft',
      )}
    >
      <Glyph
        name={blocks ? 'stuck' : 'degraded'}
        className={clsx('mt-0.5', blocks ? 'text-stuck' : 'text-degraded')}
      />
      <div className="min-w-0 [overflow-wrap:anywhere]">
        <span className="sr-only">{blocks ? 'Blocks: ' : 'Warning: '}</span>
        <b>
          <LocalizedTimesText text={head} />
        </b>
        {(rest !== '' || finding.action) && (
          <p className="text-ink-2">
            <LocalizedTimesText text={[rest, finding.action].filter(Boolean).join(' ')} />
            {link && (
              <>
                {' '}
                <ExternalLink href={link.url}>Open in {link.label}</ExternalLink>
              </>
            )}
          </p>
        )}
        {finding.command !== undefined && (
          <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1">
            <code className="text-code [overflow-wrap:anywhere]">{finding.command}</code>
            <CopyButton size="small" label={`Copy ${finding.command}`} text={finding.command} />
          </p>
        )}
        {finding.manifest !== undefined && (
          <div className="mt-1 flex flex-wrap items-end gap-x-2 gap-y-1">
            <pre className="text-code whitespace-pre-wrap">{finding.manifest}</pre>
            <CopyButton size="small" label="Copy the YAML" text={finding.manifest} />
          </div>
        )}
      </div>
    </li>
  );
}

function FindingLine({ finding }: { finding: Finding }) {
  const isPassed = finding.severity === 'passed';
  return (
    <li className={line}>
      <Glyph
        name={isPassed ? 'check' : 'info'}
        size={13}
        className={clsx('mt-[3.5px]', isPassed ? 'text-complete' : 'text-ink-3')}
      />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        <LocalizedTimesText text={finding.message} />
        {finding.action && <span className="text-small text-ink-3"> {finding.action}</span>}
      </span>
    </li>
  );
}

function rejectedFindings(error: unknown): Finding[] {
  if (!(error instanceof AppError) || error.code !== 'refused') return [];
  const { findings } = error.details;
  return Array.isArray(findings) ? (findings as Finding[]) : [];
}

function withSeverity(findings: readonly Finding[], severity: Finding['severity']): Finding[] {
  return findings.filter((finding) => finding.severity === severity);
}
