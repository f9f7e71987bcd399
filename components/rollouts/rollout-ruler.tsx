import { podCountText, revisionTag, runsAlongsideStable } from '@/components/rollouts/rollout-labels';
import type { RolloutItem } from '@/lib/api/rollouts';
import { revisionName } from '@/lib/rollout/action-labels';
import { capitalize } from '@/lib/format/text';
import { stepNoun } from '@/lib/rollout/style-text';

/** Labels closer to each other than this, in percent, would overlap. */
const LABEL_GAP_PERCENT = 9;

/**
 * All pods of the workload as one bar: how many run the new revision, and where each step ends. Where the new pods
 * run alongside the stable ones instead of replacing them, each has its own bar. The text on the page has the same
 * information.
 */
export function RolloutRuler({ rollout }: { rollout: RolloutItem }) {
  const { replicas, revisions } = rollout;
  const { desired } = replicas;
  if (desired === null || desired === 0 || rollout.steps.length === 0) return null;
  const updated = Math.min(replicas.updated ?? 0, desired);
  const isAlongside = runsAlongsideStable(rollout);
  const to = revisionTag(revisions.updated);
  const stable = revisionName(revisions.stable);
  const from = stable === null ? '' : ` (${stable})`;
  const share = updated / desired;
  return (
    <div aria-hidden="true" className="mt-[18px]">
      <Bar
        share={share}
        ends={endsOf(rollout, desired)}
        empty={isAlongside ? 'var(--lane)' : 'var(--rev-past)'}
      />
      <Labels
        items={[
          { at: 0, text: updated === 0 ? '' : `New (${to}): ${podCountText(updated)}`, strong: true },
          ...(isAlongside
            ? []
            : [
                {
                  at: 100 * share,
                  text: updated < desired ? `Stable${from}: ${podCountText(desired - updated)}` : '',
                },
              ]),
          ...endsOf(rollout, desired).map(({ at, index, planned }) => ({
            at: 100 * at,
            text:
              planned > updated
                ? `${capitalize(stepNoun(rollout))} ${index}: ${planned.toLocaleString('en')}`
                : '',
          })),
        ]}
        end={desired.toLocaleString('en')}
      />
      {isAlongside && (
        <>
          <Bar share={1} ends={[]} empty="var(--lane)" fill="var(--rev-live)" />
          <Labels items={[{ at: 0, text: `Stable${from}: ${podCountText(desired)}` }]} end="" />
        </>
      )}
    </div>
  );
}

interface End {
  index: number;
  planned: number;
  /** 0 to 1. */
  at: number;
}

function endsOf({ steps }: RolloutItem, desired: number): End[] {
  return steps.flatMap(({ index, replicas: { planned } }) =>
    planned === null || planned <= 0 || planned >= desired ? [] : [{ index, planned, at: planned / desired }],
  );
}

function Bar({
  share,
  ends,
  empty,
  fill = 'var(--rev-target)',
}: {
  share: number;
  ends: readonly End[];
  empty: string;
  fill?: string;
}) {
  return (
    <span className="relative block h-2.5 overflow-hidden rounded-[2px]" style={{ background: empty }}>
      <i
        className="absolute inset-y-0 left-0 transition-[width] duration-(--calm)"
        style={{ width: `${100 * share}%`, background: fill }}
      />
      {ends.map(({ index, at }) => (
        <i
          key={index}
          className="absolute inset-y-0 -ml-px w-0.5 bg-canvas"
          style={{ left: `${100 * at}%` }}
        />
      ))}
    </span>
  );
}

interface Label {
  at: number;
  text: string;
  strong?: boolean;
}

function Labels({ items, end }: { items: readonly Label[]; end: string }) {
  return (
    <span className="relative mb-1 block h-[18px] text-[11px]/[18px] text-ink-3 max-desk:flex max-desk:h-auto max-desk:flex-wrap max-desk:gap-x-3">
      {withoutOverlaps(items).map(({ at, text, strong }, index) => (
        <span
          key={text}
          className={`absolute whitespace-nowrap max-desk:static ${strong ? 'font-medium text-ink' : ''} ${index > 1 ? 'max-desk:hidden' : ''}`}
          style={{ left: `${at}%` }}
        >
          {text}
        </span>
      ))}
      <span className="absolute right-0 max-desk:static max-desk:ml-auto">{end}</span>
    </span>
  );
}

/** Those that have room, in order. */
function withoutOverlaps(items: readonly Label[]): Label[] {
  const shown: Label[] = [];
  for (const item of items) {
    const last = shown.at(-1);
    if (item.text === '' || item.at > 100 - LABEL_GAP_PERCENT) continue;
    if (last === undefined || item.at - last.at >= LABEL_GAP_PERCENT) shown.push(item);
  }
  return shown;
}
