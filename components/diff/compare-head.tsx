'use client';

import { diffToMarkdown } from '@/components/diff/markdown';
import { SidePicker } from '@/components/diff/side-picker';
import {
  findRollbackTarget,
  parseSide,
  revisionVersion,
  type SidePair,
  stepSidePair,
} from '@/components/diff/sides';
import { Button, IconButton } from '@/components/ui/button';
import { FooterNote } from '@/components/ui/footer-note';
import { Segmented } from '@/components/ui/segmented';
import { useShortcuts } from '@/components/ui/shortcuts';
import { StateLabel, stateLabel } from '@/components/shared/state-label';
import { copyWithToast } from '@/components/shared/copy-with-toast';
import type { Diff } from '@/lib/api/diff';
import type { WorkloadDetail } from '@/lib/api/workloads';
import type { WorkloadRef } from '@/components/queries/workload-ref';
import { formatRev } from '@/lib/history/revision';

/** Both sides with their pickers, the actions of the comparison, and its keys. */
export function CompareHead({
  workload,
  detail,
  pair,
  diff,
  onShow,
  yaml,
  onToggleYaml,
  onRollback,
}: {
  workload: WorkloadRef;
  detail: WorkloadDetail;
  pair: SidePair;
  /** Absent while it is not known for exactly this pair. */
  diff: Diff | undefined;
  onShow: (pair: SidePair) => void;
  /** Whether the YAML is shown instead of the changes. */
  yaml: boolean;
  onToggleYaml: () => void;
  onRollback: (revisionId: string) => void;
}) {
  const { revisions } = detail;
  const isAcross = parseSide(pair.from).cluster !== parseSide(pair.to).cluster;
  const rollbackTarget = findRollbackTarget(revisions, pair);
  const swap = () => onShow({ from: pair.to, to: pair.from });
  const markdown = () => (diff ? diffToMarkdown(diff, workload, window.location.href) : '');

  function step(by: 1 | -1) {
    const next = stepSidePair(revisions, pair, by);
    if (next) onShow(next);
  }

  useShortcuts({
    '[': { label: 'Older revision', hint: 'older, newer revision', run: () => step(1) },
    ']': { label: 'Newer revision', hint: 'older, newer revision', run: () => step(-1) },
    s: { label: 'Swap sides', hint: 'swap', run: swap },
    u: { label: 'Changes or YAML', hint: 'YAML', run: onToggleYaml },
    ...(diff && {
      y: {
        label: 'Copy as Markdown',
        hint: 'copy as Markdown',
        run: () => void copyWithToast(markdown(), 'Copied as Markdown'),
      },
    }),
    ...(rollbackTarget && {
      r: { label: 'Roll back', hint: 'roll back', run: () => onRollback(rollbackTarget.id) },
    }),
  });

  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-2.5 pt-3">
      <FooterNote>{`${workload.namespace}/${workload.name}`}</FooterNote>
      <p className="w-full text-ink-2">
        <StateLabel state={detail.workload.state}>{stateLabel(detail.workload)}.</StateLabel>{' '}
        {detail.workload.sentence}
      </p>
      <div className="flex min-w-0 items-center gap-1.5 max-desk:w-full max-desk:flex-col max-desk:items-stretch">
        <SidePicker
          label="From"
          value={pair.from}
          workload={workload}
          namesCluster={isAcross}
          onChange={(from) => onShow({ ...pair, from })}
        />
        <IconButton
          glyph="arrow"
          label="Swap from and to"
          onClick={swap}
          className="rounded-full! max-desk:hidden"
        />
        <SidePicker
          label="To"
          value={pair.to}
          workload={workload}
          namesCluster={isAcross}
          onChange={(to) => onShow({ ...pair, to })}
        />
      </div>
      <div className="flex gap-2 max-desk:w-full max-desk:flex-wrap desk:ml-auto">
        {rollbackTarget && (
          <Button
            tone="primary"
            glyph="back"
            kbd="r"
            onClick={() => onRollback(rollbackTarget.id)}
            className="max-desk:h-auto max-desk:min-h-10 max-desk:flex-auto max-desk:whitespace-normal"
          >
            Roll back to {formatRev(rollbackTarget, revisionVersion(rollbackTarget))}…
          </Button>
        )}
        <Segmented
          label="View"
          value={yaml ? 'yaml' : 'changes'}
          onChange={(view) => (view === 'yaml') !== yaml && onToggleYaml()}
          options={[
            { value: 'changes', label: 'Changes' },
            { value: 'yaml', label: 'YAML' },
          ]}
          className="items-stretch [&>button]:h-auto"
        />
        <Button
          kbd="y"
          disabled={!diff}
          onClick={() => void copyWithToast(markdown(), 'Copied as Markdown')}
          className="max-desk:flex-1"
        >
          Copy as Markdown
        </Button>
      </div>
    </div>
  );
}
