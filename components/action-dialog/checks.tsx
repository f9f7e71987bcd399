'use client';

import { clsx } from 'clsx';
import { PartHead } from '@/components/action-dialog/change-list';
import { Glyph } from '@/components/ui/glyph';
import { AbsoluteTime } from '@/components/ui/time';
import { LocalizedTimesText } from '@/components/ui/localized-times-text';
import { type ActionAnswer } from '@/lib/api/actions';
import { type Finding } from '@/lib/workloads/plan';
import { AppError } from '@/lib/errors';
import { formatCount } from '@/lib/format/text';

/** Results of the checks: blockers and warnings first, passed ones as ticks, the dry run last. */
export function Checks({
  answer: { findings: previewed, dryRun },
  sendError,
}: {
  answer: ActionAnswer;
  /** The refusal of the confirmed action: its findings come before those of the preview. */
  sendError: unknown;
}) {
  const refused = refusedFindings(sendError);
  const refusedCodes = new Set(refused.map(({ code }) => code));
  // The line at the end shows the dry run, with its time.
  const findings = [...refused, ...previewed.filter(({ code }) => !refusedCodes.has(code))].filter(
    ({ code }) => code !== 'dry_run_accepted',
  );
  const prominent = [...withSeverity(findings, 'refusal'), ...withSeverity(findings, 'warning')];
  return (
    <section aria-label="Checks">
      <PartHead title="Checks" remark={summarizeFindings(findings, dryRun)} />
      <ul className="grid gap-x-9 desk:grid-cols-2">
        {prominent.map((finding) => (
          <ProminentFinding key={finding.code + finding.message} finding={finding} />
        ))}
        {dryRun && !dryRun.accepted && withSeverity(findings, 'refusal').length === 0 && (
          <ProminentFinding
            finding={{
              severity: 'refusal',
              code: 'dry_run',
              message: 'The API server refused the dry run.',
              action: dryRun.message,
            }}
          />
        )}
        {[...withSeverity(findings, 'info'), ...withSeverity(findings, 'passed')].map((finding) => (
          <FindingLine key={finding.code + finding.message} finding={finding} />
        ))}
        {dryRun?.accepted && (
          <li className={line}>
            <Glyph name="check" size={13} className="mt-[3.5px] text-complete" />
            <span className="min-w-0 [overflow-wrap:anywhere]">
              Dry run accepted by the API server{' '}
              <span className="text-small text-ink-3">
                <AbsoluteTime iso={dryRun.at} form="clock" />
                {!['', 'accepted'].includes(dryRun.message) && `, ${dryRun.message}`}
              </span>
            </span>
          </li>
        )}
      </ul>
    </section>
  );
}

const line = 'flex min-h-6 items-start gap-2 py-0.5 text-[12.5px] max-desk:py-[5px] max-desk:text-body';

function ProminentFinding({ finding }: { finding: Finding }) {
  const blocks = finding.severity === 'refusal';
  return (
    <li
      className={clsx(
        'col-span-full mb-[7px] flex gap-2.5 rounded-3 px-3 py-[9px] text-[12.5px]/[18px]',
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
          <LocalizedTimesText text={finding.message} />
        </b>
        {finding.action && (
          <p className="text-ink-2">
            <LocalizedTimesText text={finding.action} />
          </p>
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

function refusedFindings(error: unknown): Finding[] {
  if (!(error instanceof AppError) || error.code !== 'refused') return [];
  const { findings } = error.details;
  return Array.isArray(findings) ? (findings as Finding[]) : [];
}

function withSeverity(findings: readonly Finding[], severity: Finding['severity']): Finding[] {
  return findings.filter((finding) => finding.severity === severity);
}

/** "6 passed, 1 warning, nothing blocks". */
function summarizeFindings(findings: readonly Finding[], dryRun: ActionAnswer['dryRun']): string {
  const passed = withSeverity(findings, 'passed').length + (dryRun?.accepted ? 1 : 0);
  const warnings = withSeverity(findings, 'warning').length;
  const blocking = Math.max(withSeverity(findings, 'refusal').length, dryRun && !dryRun.accepted ? 1 : 0);
  return [
    passed > 0 && `${passed} passed`,
    warnings > 0 && formatCount(warnings, 'warning'),
    blocking > 0 ? `${blocking} ${blocking === 1 ? 'blocks' : 'block'}` : 'nothing blocks',
  ]
    .filter((part) => part !== false)
    .join(', ');
}
