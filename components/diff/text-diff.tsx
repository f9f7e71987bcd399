'use client';

import { useMemo, useRef, useState, useLayoutEffect } from 'react';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import ReactDiffViewer, {
  computeStyles,
  LineNumberPrefix,
  type ReactDiffViewerProps,
  type ReactDiffViewerStylesOverride,
} from 'react-diff-viewer-continued';
import { diffLines } from '@/components/diff/line-diff';
import { type Fold, type Hunk, toTextBlocks } from '@/components/diff/text-blocks';
import { changedSegments } from '@/components/ui/changed-words';
import { usePhone } from '@/components/ui/media';

const LINE_PX = 19;
const FOLD_PX = 24;

/**
 * Two texts side by side (one column on a phone) with equal stretches folded. The only module that imports the
 * viewer; load it lazily. Folding and virtualization are ours: each viewer gets one hunk, and only hunks near the
 * window exist.
 */
export function TextDiff({ before, after, label }: { before: string; after: string; label: string }) {
  const left = useMemo(() => toLines(before), [before]);
  const right = useMemo(() => toLines(after), [after]);
  const stretches = useMemo(() => diffLines(left, right), [left, right]);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const blocks = useMemo(() => toTextBlocks(stretches, open), [stretches, open]);
  const split = !usePhone();

  const { ref, offsetPx } = useOffset();
  const virtualizer = useWindowVirtualizer({
    count: blocks.length,
    estimateSize: (index) => estimate(blocks[index]),
    getItemKey: (index) => keyOf(blocks[index]),
    overscan: 3,
    scrollMargin: offsetPx,
    initialRect: { width: 1440, height: 1100 },
  });
  const items = virtualizer.getVirtualItems();

  return (
    <div
      ref={ref}
      tabIndex={0}
      role="region"
      aria-label={label}
      className="overflow-hidden rounded-3 border border-line bg-surface"
    >
      <div className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {items.map((item) => {
          const block = blocks[item.index];
          if (!block) return null;
          return (
            <div
              key={item.key}
              ref={virtualizer.measureElement}
              data-index={item.index}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${item.start - offsetPx}px)` }}
            >
              {block.kind === 'fold' ? (
                <FoldRow fold={block} onOpen={() => setOpen(new Set([...open, block.id]))} />
              ) : (
                <HunkView hunk={block} left={left} right={right} split={split} />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

const variables = {
  diffViewerBackground: 'var(--surface)',
  diffViewerColor: 'var(--ink)',
  addedBackground: 'var(--added-soft)',
  addedColor: 'var(--ink)',
  removedBackground: 'var(--removed-soft)',
  removedColor: 'var(--ink)',
  changedBackground: 'var(--surface)',
  emptyLineBackground: 'var(--lane)',
};

/**
 * One theme for both color schemes: the CSS variables switch. A constant, because the viewer rebuilds its style sheet
 * for a new object.
 */
const diffViewerStyles: ReactDiffViewerStylesOverride = {
  variables: { light: variables, dark: variables },
  diffContainer: {
    minWidth: 'unset',
    fontFamily: 'var(--mono)',
    pre: { lineHeight: '19px', fontFamily: 'var(--mono)' },
    '& td[data-side=right]': { borderInlineStart: '1px solid var(--line)' },
  },
  contentText: { fontFamily: 'var(--mono)', fontSize: 12, lineHeight: '19px', letterSpacing: '-0.01em' },
  line: { '& ins, & del': { background: 'none', padding: 0, borderRadius: 0 } },
  // Shiplog compares the words, so the viewer's own highlights are off.
  wordDiff: {
    'ins&&&': { background: 'var(--added-mark)', borderRadius: 2 },
    'del&&&': { background: 'var(--removed-mark)', borderRadius: 2 },
  },
  marker: {
    width: 22,
    padding: '0 4px',
    textAlign: 'center',
    pre: { width: 'auto', fontSize: 12 },
  },
  diffAdded: { '&& pre': { color: 'var(--added)' }, '&& pre ins, && ins': { color: 'var(--ink)' } },
  diffRemoved: { '&& pre': { color: 'var(--removed)' }, '&& pre del, && del': { color: 'var(--ink)' } },
};

/** Created once: otherwise every viewer adds its own style sheet and leaves it behind when it unmounts. */
const sharedStyles = computeStyles(diffViewerStyles);

class HunkViewer extends ReactDiffViewer {
  constructor(props: ReactDiffViewerProps) {
    super(props);
    Object.assign(this, { computeStyles: () => sharedStyles });
  }
}

function FoldRow({ fold, onOpen }: { fold: Fold; onOpen: () => void }) {
  return (
    <button
      type="button"
      onClick={onOpen}
      className="block w-full border-y border-hair bg-lane text-center text-[11px] text-ink-3 transition-colors hover:text-accent focus-visible:-outline-offset-2"
      style={{ height: FOLD_PX }}
    >
      {fold.lines} unchanged lines
    </button>
  );
}

function HunkView({
  hunk,
  left,
  right,
  split,
}: {
  hunk: Hunk;
  left: readonly string[];
  right: readonly string[];
  split: boolean;
}) {
  return (
    <div style={{ minHeight: estimate(hunk) }}>
      <HunkViewer
        oldValue={sliceText(left, hunk.left)}
        newValue={sliceText(right, hunk.right)}
        splitView={split}
        showDiffOnly={false}
        hideSummary
        hideLineNumbers
        disableWorker
        compareMethod={markWords}
        renderContent={(source) => <YamlLine text={source} />}
        renderGutter={({ prefix, lineNumber, additionalLineNumber }) => (
          <LineNumber
            side={prefix === LineNumberPrefix.LEFT ? 'left' : 'right'}
            line={lineOf(hunk, prefix, lineNumber, additionalLineNumber)}
          />
        )}
      />
    </div>
  );
}

function LineNumber({ side, line }: { side: 'left' | 'right'; line: number | null }) {
  return (
    <td
      data-side={side}
      className="w-[44px] pr-2 text-end align-baseline font-mono text-[11px]/[19px] text-ink-3 select-none"
    >
      {line}
    </td>
  );
}

/** Highlights the same words as everywhere else, in the format of the viewer. */
function markWords(before: string, after: string) {
  return changedSegments(before, after).map(({ text, side }) => ({
    value: text,
    count: 1,
    added: side === 'after',
    removed: side === 'before',
  }));
}

/** The viewer counts from 1 within its hunk; a line that is not on this side is 0. */
function lineOf(
  hunk: Hunk,
  prefix: LineNumberPrefix,
  line: number,
  additional: number | undefined,
): number | null {
  if (line > 0) return line + (prefix === LineNumberPrefix.LEFT ? hunk.left.start : hunk.right.start);
  return additional ? additional + hunk.right.start : null;
}

/** The lines of a text. A final line break ends the last line and starts none. */
function toLines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Every line ends in a break, so that the viewer treats equal lines as equal wherever the hunk is cut. */
function sliceText(lines: readonly string[], { start, end }: { start: number; end: number }): string {
  return lines
    .slice(start, end)
    .map((line) => `${line}\n`)
    .join('');
}

function estimate(block: Hunk | Fold | undefined): number {
  if (!block) return 0;
  if (block.kind === 'fold') return FOLD_PX;
  return LINE_PX * Math.max(block.left.end - block.left.start, block.right.end - block.right.start);
}

function keyOf(block: Hunk | Fold | undefined): string {
  if (!block) return '';
  return block.kind === 'fold' ? `fold-${block.id}` : `hunk-${block.left.start}-${block.right.start}`;
}

function useOffset() {
  const ref = useRef<HTMLDivElement>(null);
  const [offsetPx, setOffsetPx] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      if (ref.current) setOffsetPx(Math.round(ref.current.getBoundingClientRect().top + window.scrollY));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);
  return { ref, offsetPx };
}

/**
 * The viewer draws the indent. A key is a plain or quoted word up to a colon that ends the line or has a space after
 * it.
 */
const KEY = /^((?:- )*)((?:"[^"]*"|'[^']*'|[^\s"'#:-][^:#]*?|-[^\s:#][^:#]*?):)(?=\s|$)(.*)$/s;

/** One line of YAML with its key dimmed; text that is not a key is unchanged. */
export function YamlLine({ text }: { text: string }) {
  const [, dashes, key, rest] = KEY.exec(text) ?? [];
  if (key === undefined) return <>{text}</>;
  return (
    <>
      {dashes}
      <span className="text-ink-3">{key}</span>
      {rest}
    </>
  );
}
