'use client';

import { Component, lazy, Suspense } from 'react';
import { clsx } from 'clsx';

const MarkdownView = lazy(async () => ({
  default: (await import('@/components/ui/markdown-view')).MarkdownView,
}));

/** Characters that may be Markdown; a text without any is shown as it is, and no parser is loaded for it. */
const MARKUP = /[*_`[\]<>#|~\\]|^\s*([-+]|\d+[.)])\s|https?:|www\.|@|^ {4}|^[=-]+\s*$|\S[^\S\n]{2,}\n|&\w/m;

/** The parser's time grows with the square of the nesting depth. */
const DEEP = /(?:[>[\]*_`<(!~|]\s*){60}|(?:^|\n)\s*(?:(?:[-+*>]|\d+[.)])\s*){24}/;
const MARKS_MAX = 1_500;

/**
 * Text written by people: Markdown that cannot run, load or imitate the page around it, each text with its own
 * direction. Shown as written until the parser has loaded, and where it nests deeper than is readable.
 */
export function Markdown({
  text,
  mentions = [],
  className,
}: {
  text: string;
  /** Names that are highlighted where they follow an `@`. */
  mentions?: readonly string[];
  className?: string;
}) {
  const plain = <p className="whitespace-pre-wrap">{text}</p>;
  const isPlain = !MARKUP.test(text) || isTangled(text);
  return (
    <div
      dir="auto"
      className={clsx('grid gap-1.5 isolate [unicode-bidi:isolate] [overflow-wrap:anywhere]', className)}
    >
      {isPlain ? (
        plain
      ) : (
        <PlainIfBroken key={text} plain={plain}>
          <Suspense fallback={plain}>
            <MarkdownView text={text} mentions={mentions} />
          </Suspense>
        </PlainIfBroken>
      )}
    </div>
  );
}

function isTangled(text: string): boolean {
  return DEEP.test(text) || (text.match(/[[\]<>*_`]/g)?.length ?? 0) > MARKS_MAX;
}

/** An error of the parser must not break the page. */
class PlainIfBroken extends Component<
  { plain: React.ReactNode; children: React.ReactNode },
  { isBroken: boolean }
> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render() {
    return this.state.isBroken ? this.props.plain : this.props.children;
  }
}
