'use client';

import { clsx } from 'clsx';
import { StretchHead } from '@/components/rollback/change-list';
import { Glyph, type GlyphName } from '@/components/ui/glyph';
import { AbsoluteTime } from '@/components/ui/time';
import { TimedText } from '@/components/ui/timed-text';
import { type ActionAnswer, type FindingItem } from '@/lib/api/actions';

/** Results of the checks: what blocks and what to know on top, what passed as ticks, the dry run last. */
export function Checks({ findings: all, dryRun }: Pick<ActionAnswer, 'findings' | 'dryRun'>) {
  // The line at the end says it, with its time.
  const findings = all.filter((finding) => finding.code !== 'dry_run_accepted');
  const loud = [...only(findings, 'refusal'), ...only(findings, 'warning')];
  const quiet = only(findings, 'info');
  const passed = only(findings, 'passed');
  return (
    <section aria-label="Checks">
      <StretchHead title="Checks" remark={remark(findings, dryRun)} />
      <ul className="grid gap-x-9 desk:grid-cols-2">
        {loud.map((finding) => (
          <Loud key={finding.code + finding.message} finding={finding} />
        ))}
        {dryRun && !dryRun.accepted && only(findings, 'refusal').length === 0 && (
          <Loud
            finding={{
              severity: 'refusal',
              code: 'dry_run',
              message: 'The API server refused the dry run.',
              action: dryRun.message,
            }}
          />
        )}
        {quiet.map((finding) => (
          <Quiet key={finding.code + finding.message} glyph="info" color="text-ink-3" finding={finding} />
        ))}
        {passed.map((finding) => (
          <Quiet key={finding.code + finding.message} glyph="check" color="text-complete" finding={finding} />
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

function Loud({ finding }: { finding: FindingItem }) {
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
          <TimedText text={finding.message} />
        </b>
        {finding.action && (
          <p className="text-ink-2">
            <TimedText text={finding.action} />
          </p>
        )}
      </div>
    </li>
  );
}

function Quiet({ glyph, color, finding }: { glyph: GlyphName; color: string; finding: FindingItem }) {
  return (
    <li className={line}>
      <Glyph name={glyph} size={13} className={clsx('mt-[3.5px]', color)} />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        <TimedText text={finding.message} />
        {finding.action && <span className="text-small text-ink-3"> {finding.action}</span>}
      </span>
    </li>
  );
}

function only(findings: readonly FindingItem[], severity: FindingItem['severity']): FindingItem[] {
  return findings.filter((finding) => finding.severity === severity);
}

/** "6 passed, 1 warning, nothing blocks". */
function remark(findings: readonly FindingItem[], dryRun: ActionAnswer['dryRun']): string {
  const passed = only(findings, 'passed').length + (dryRun?.accepted ? 1 : 0);
  const warnings = only(findings, 'warning').length;
  const blocking = Math.max(only(findings, 'refusal').length, dryRun && !dryRun.accepted ? 1 : 0);
  return [
    passed > 0 && `${passed} passed`,
    warnings > 0 && `${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`,
    blocking > 0 ? `${blocking} ${blocking === 1 ? 'blocks' : 'block'}` : 'nothing blocks',
  ]
    .filter((part) => part !== false)
    .join(', ');
}
