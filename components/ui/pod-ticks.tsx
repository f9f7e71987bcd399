import { clsx } from 'clsx';

export interface PodTickGroup {
  /** Null: the pods' revision is pruned or unknown. */
  revision: number | null;
  /** The target revision. */
  target: boolean;
  pods: number;
  ready: number;
}

/** One tick each up to this many pods; above it one bar in proportion. */
const TICKS_MAX = 16;

/**
 * Pods by revision as ticks: full is ready, hollow is not, blue is the target, muted another live revision; hollow
 * red where the rollout is `stuck`. More than 16 pods become one bar in proportion. The accessible name has the same
 * in words. `size="large"` for the dialog that follows a rollout.
 */
export function PodTicks({
  groups,
  stuck = false,
  size = 'normal',
}: {
  groups: readonly PodTickGroup[];
  stuck?: boolean;
  size?: 'normal' | 'large';
}) {
  const shown = groups.filter((group) => group.pods > 0);
  const total = shown.reduce((sum, group) => sum + group.pods, 0);
  const description = describePods(groups);
  return (
    <span
      role="img"
      aria-label={description}
      title={description}
      className={clsx(
        'inline-flex flex-none items-center align-[-1.5px]',
        size === 'large' ? 'h-[26px] gap-2' : 'h-3 gap-1.5',
      )}
    >
      {total === 0 && <NoPods />}
      {total > TICKS_MAX ? (
        <Bar groups={shown} total={total} stuck={stuck} large={size === 'large'} />
      ) : (
        shown.map((group, index) => (
          <Ticks key={index} group={group} stuck={stuck} large={size === 'large'} />
        ))
      )}
    </span>
  );
}

/**
 * The same in figures: "43×0/6  42×9". Ready pods are named only where some are not. In `oneLine` a revision without
 * room is left out: half a number would be another number.
 */
export function PodFigures({
  groups,
  stuck = false,
  oneLine = false,
}: {
  groups: readonly PodTickGroup[];
  stuck?: boolean;
  oneLine?: boolean;
}) {
  const shown = groups.filter((group) => group.pods > 0);
  return (
    <span
      aria-hidden="true"
      className={clsx(
        'inline-flex gap-x-[9px] font-mono text-small tracking-[-0.03em] whitespace-nowrap text-ink-3',
        oneLine && 'h-5 min-w-0 flex-wrap overflow-hidden leading-5',
      )}
    >
      {shown.length === 0 && <span className="font-sans tracking-normal">no pods</span>}
      {shown.map((group, index) => (
        <span key={index}>
          <b className="text-ink">{group.revision ?? '?'}</b>
          {'\u2009×\u2009'}
          <span className={clsx(stuck && group.target && group.ready < group.pods && 'text-stuck')}>
            {group.ready === group.pods ? group.pods : `${group.ready}/${group.pods}`}
          </span>
        </span>
      ))}
    </span>
  );
}

/** "revision 43, the target: 0 of 6 ready; revision 42: 9 of 9 ready" */
export function describePods(groups: readonly PodTickGroup[]): string {
  const shown = groups.filter((group) => group.pods > 0);
  if (shown.length === 0) return 'No pods';
  return shown
    .map((group) => {
      const name = group.revision === null ? 'unknown revision' : `revision ${group.revision}`;
      return `${name}${group.target ? ', the target' : ''}: ${group.ready} of ${group.pods} ready`;
    })
    .join('; ');
}

/** Width, height, pitch and corner of a tick, in pixels. */
const sizes = {
  normal: { width: 4, height: 12, pitch: 6, corner: 1, stroke: 1.25 },
  large: { width: 9, height: 26, pitch: 13, corner: 2, stroke: 1.25 },
} as const;

/** Two paths rather than an element for each pod: a list may show thousands of pods. */
function Ticks({ group, stuck, large }: { group: PodTickGroup; stuck: boolean; large: boolean }) {
  const size = sizes[large ? 'large' : 'normal'];
  const width = group.pods * size.pitch - (size.pitch - size.width);
  return (
    <svg width={width} height={size.height} className="flex-none overflow-visible" aria-hidden="true">
      {group.ready > 0 && (
        <path
          d={drawTicks(0, group.ready, size, 0)}
          className={group.target ? 'fill-rev-target' : 'fill-rev-live'}
        />
      )}
      {group.ready < group.pods && (
        <path
          d={drawTicks(group.ready, group.pods, size, size.stroke / 2)}
          fill="none"
          strokeWidth={size.stroke}
          className={strokeOf(group, stuck)}
        />
      )}
    </svg>
  );
}

/** Ticks `from` up to `to` as one path, each drawn `inset` within its bounds. */
function drawTicks(
  from: number,
  to: number,
  size: (typeof sizes)[keyof typeof sizes],
  inset: number,
): string {
  const width = size.width - 2 * inset;
  const height = size.height - 2 * inset;
  const round = Math.max(0, size.corner - inset);
  const corner = (dx: number, dy: number) => `a${round} ${round} 0 0 1 ${dx} ${dy}`;
  const tick = `h${width - 2 * round}${corner(round, round)}v${height - 2 * round}${corner(-round, round)}h${2 * round - width}${corner(-round, -round)}v${2 * round - height}${corner(round, -round)}z`;
  let path = '';
  for (let index = from; index < to; index += 1)
    path += `M${index * size.pitch + inset + round} ${inset}${tick}`;
  return path;
}

function Bar({
  groups,
  total,
  stuck,
  large,
}: {
  groups: readonly PodTickGroup[];
  total: number;
  stuck: boolean;
  large: boolean;
}) {
  return (
    <span className={clsx('inline-flex gap-px', large ? 'h-[26px] w-[200px]' : 'h-3 w-[82px]')}>
      {groups.flatMap((group, index) =>
        [
          { pods: group.ready, className: full(group) },
          { pods: group.pods - group.ready, className: hollow(group, stuck) },
        ]
          .filter((part) => part.pods > 0)
          .map((part, side) => (
            <i
              key={`${index}-${side}`}
              className={clsx(
                'min-w-[3px] rounded-[1px] transition-[flex-grow] duration-(--calm)',
                part.className,
              )}
              style={{ flexGrow: part.pods / total, flexBasis: 0 }}
            />
          )),
      )}
    </span>
  );
}

function NoPods() {
  return <i className="h-px w-3 bg-line-2" />;
}

function full(group: PodTickGroup): string {
  return group.target ? 'bg-rev-target' : 'bg-rev-live';
}

function hollow(group: PodTickGroup, stuck: boolean): string {
  if (!group.target) return 'inset-ring inset-ring-rev-live';
  return stuck ? 'inset-ring-[1.25px] inset-ring-stuck' : 'inset-ring-[1.25px] inset-ring-rev-target';
}

function strokeOf(group: PodTickGroup, stuck: boolean): string {
  if (!group.target) return 'stroke-rev-live';
  return stuck ? 'stroke-stuck' : 'stroke-rev-target';
}
