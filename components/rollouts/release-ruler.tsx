import { podsWord, revisionTag, standsBeside } from '@/components/rollouts/rollout-words';
import { type RolloutItem } from '@/lib/api/rollouts';
import { revisionName } from '@/lib/rollout/action-verbs';
import { stepNoun } from '@/lib/rollout/style-word';

/** Labels nearer to each other than this, in percent, would lie on each other. */
const APART = 9;

/**
 * All pods of the workload as one bar: how many run the new revision, and where each step ends. Where the new pods stand
 * beside the stable ones instead of in their place, each has a bar of its own. Words elsewhere say the same.
 */
export function ReleaseRuler({ rollout }: { rollout: RolloutItem }) {
  const { replicas, revisions } = rollout;
  const { desired } = replicas;
  if (desired === null || desired === 0 || rollout.steps.length === 0) return null;
  const updated = Math.min(replicas.updated ?? 0, desired);
  const beside = standsBeside(rollout);
  const to = revisionTag(revisions.updated);
  const from = revisionName(revisions.stable) ?? 'the stable revision';
  const share = updated / desired;
  return (
    <div aria-hidden="true" className="mt-[18px]">
      <Bar share={share} ends={endsOf(rollout, desired)} empty={beside ? 'var(--lane)' : 'var(--rev-past)'} />
      <Labels
        items={[
          { at: 0, text: updated === 0 ? '' : `${podsWord(updated)} on ${to}`, strong: true },
          ...(beside
            ? []
            : [
                {
                  at: 100 * share,
                  text: updated < desired ? `${podsWord(desired - updated)} on ${from}` : '',
                },
              ]),
          ...endsOf(rollout, desired).map(({ at, index, planned }) => ({
            at: 100 * at,
            text: planned > updated ? `${stepNoun(rollout)} ${index}: ${planned.toLocaleString('en')}` : '',
          })),
        ]}
        end={desired.toLocaleString('en')}
      />
      {beside && (
        <>
          <Bar share={1} ends={[]} empty="var(--lane)" fill="var(--rev-live)" />
          <Labels items={[{ at: 0, text: `${podsWord(desired)} on ${from}` }]} end="" />
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
    <span className="relative mb-1 block h-[18px] text-[11px]/[18px] text-ink-3">
      {apart(items).map(({ at, text, strong }, index) => (
        <span
          key={text}
          className={`absolute whitespace-nowrap ${strong ? 'font-medium text-ink' : ''} ${index > 1 ? 'max-desk:hidden' : ''}`}
          style={{ left: `${at}%` }}
        >
          {text}
        </span>
      ))}
      <span className="absolute right-0">{end}</span>
    </span>
  );
}

/** Those that have room, in their order. */
function apart(items: readonly Label[]): Label[] {
  const kept: Label[] = [];
  for (const item of items) {
    const last = kept.at(-1);
    if (item.text === '' || item.at > 100 - APART) continue;
    if (last === undefined || item.at - last.at >= APART) kept.push(item);
  }
  return kept;
}
