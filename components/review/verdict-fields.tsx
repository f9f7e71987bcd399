import { useId, useRef } from 'react';
import { clsx } from 'clsx';
import { Button } from '@/components/ui/button';
import { Glyph, type GlyphName } from '@/components/ui/glyph';
import { Input } from '@/components/ui/input';
import { Kbd } from '@/components/ui/kbd';
import { useShortcuts } from '@/components/ui/shortcuts';
import { ProseField, validateProse } from '@/components/shared/prose-field';
import { defaultDueDay, type VerdictDraft } from '@/components/review/verdict-draft';
import type { ReviewRequest, VerdictItem } from '@/lib/api/review';
import { formatCalendarDay, parseCalendarDay } from '@/lib/format/day-text';
import { verdictLabels } from '@/lib/view/report-text';

type VerdictName = VerdictItem['verdict'];

const choices: readonly {
  verdict: VerdictName;
  kbd: string;
  glyph: GlyphName;
  color: string;
  on: string;
}[] = [
  {
    verdict: 'good',
    kbd: 'g',
    glyph: 'complete',
    color: 'text-complete',
    on: 'border-complete! bg-complete-soft! inset-ring inset-ring-complete',
  },
  {
    verdict: 'bad',
    kbd: 'b',
    glyph: 'failed',
    color: 'text-stuck',
    on: 'border-stuck! bg-stuck-soft! inset-ring inset-ring-stuck',
  },
  {
    verdict: 'followUp',
    kbd: 'f',
    glyph: 'note',
    color: 'text-held',
    on: 'border-held! bg-held-soft! inset-ring inset-ring-held',
  },
];

/**
 * Verdict, comment, assignee and due day, for one record or for several. Keys choose the verdict; one that needs words
 * moves the focus to the comment, and `f` a second time to the assignee. Nothing is sent before it is saved.
 */
export function VerdictFields({
  draft,
  legend,
  people,
  saveLabel,
  savingLabel,
  disabledReason,
  onChange,
  onSave,
  onSkip,
  inBar = false,
  children,
}: {
  draft: VerdictDraft;
  legend: React.ReactNode;
  /** Suggested assignees, the likeliest first. */
  people: readonly string[];
  saveLabel: string;
  /** While it is being saved; else null. */
  savingLabel: string | null;
  /** Why it cannot be saved though a verdict is chosen; else null. */
  disabledReason: string | null;
  onChange: (change: Partial<VerdictDraft>) => void;
  onSave: () => void;
  /** On `n` without a verdict. */
  onSkip?: () => void;
  /** Stays visible at the lower edge of the page. */
  inBar?: boolean;
  /** Notices and errors. */
  children?: React.ReactNode;
}) {
  const { verdict, comment, person, due } = draft;
  const commentField = useRef<HTMLTextAreaElement>(null);
  const personField = useRef<HTMLInputElement>(null);
  const ids = { person: useId(), people: useId(), due: useId() };
  const day = parseCalendarDay(due);
  const isUnknown = person.trim() !== '' && knownPerson(person.trim(), people) === undefined;

  function choose(next: VerdictName | null) {
    onChange({
      verdict: next,
      ...(next === 'followUp' && person === '' && { person: people[0] ?? '' }),
      ...(next === 'followUp' && due === '' && { due: formatCalendarDay(defaultDueDay()) }),
    });
  }

  function chooseByKey(next: VerdictName) {
    choose(next);
    const isRepeated = verdict === 'followUp';
    // Once the fields are there.
    setTimeout(() => {
      if (next === 'good') return;
      if (next === 'bad' || !isRepeated) return commentField.current?.focus();
      // The suggestion is selected, so that typing replaces it.
      personField.current?.focus();
      personField.current?.select();
    });
  }

  // A held key must not run through the queue.
  useShortcuts({
    ...Object.fromEntries(
      choices.map((choice) => [
        choice.kbd,
        {
          label: verdictLabels[choice.verdict],
          hint: 'good, bad, follow-up',
          run: ({ repeat }: KeyboardEvent) => (repeat ? undefined : chooseByKey(choice.verdict)),
        },
      ]),
    ),
    c: { label: 'Comment', hint: 'comment', run: () => commentField.current?.focus() },
    n: {
      label: verdict === null ? 'Next, without a verdict' : saveLabel,
      hint: onSkip === undefined ? undefined : 'next',
      run: ({ repeat }) => {
        if (repeat) return;
        if (verdict === null) onSkip?.();
        else onSave();
      },
    },
    'mod+enter': {
      label: saveLabel,
      hint: saveLabel.toLowerCase(),
      run: ({ repeat }) => (repeat ? undefined : onSave()),
    },
  });

  return (
    <form
      id="verdict"
      className={clsx(
        '@container grid gap-2 border-line-2 bg-surface px-4 py-2.5 print:hidden',
        inBar
          ? 'sticky bottom-(--foot) z-10 mt-auto max-h-[calc(100dvh-var(--top)-var(--foot))] overflow-y-auto rounded-t-4 border border-b-0 shadow-menu max-desk:-mx-(--gutter) max-desk:rounded-none max-desk:border-x-0 low:static'
          : 'mt-5 scroll-mt-[calc(var(--top)+8px)] rounded-4 border',
      )}
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      <fieldset className="grid gap-2 @[620px]:grid-cols-[auto_minmax(0,1fr)_auto] @[620px]:items-start">
        <legend className="flex w-full flex-wrap items-baseline gap-x-3 pb-1.5 text-small text-ink-2">
          {legend}
        </legend>
        <div className="grid grid-cols-[1fr_1fr_auto] gap-2 whitespace-nowrap">
          {choices.map((choice) => (
            <button
              key={choice.verdict}
              type="button"
              aria-pressed={verdict === choice.verdict}
              onClick={() => choose(verdict === choice.verdict ? null : choice.verdict)}
              className={clsx(
                'inline-flex h-[30px] items-center justify-center gap-[7px] rounded-3 border border-line-2 bg-surface px-2.5 font-medium shadow-1 transition-colors hover:bg-hover max-desk:h-11 max-desk:px-1',
                verdict === choice.verdict && choice.on,
              )}
            >
              <Glyph name={choice.glyph} className={choice.color} />
              {verdictLabels[choice.verdict]}
              <Kbd className="max-desk:hidden">{choice.kbd}</Kbd>
            </button>
          ))}
        </div>
        {/* On a phone the choice alone stays above the tabs. */}
        <div className={clsx(verdict === null && comment === '' && 'max-desk:hidden')}>
          <ProseField
            ref={commentField}
            label="Comment"
            value={comment}
            isTerse
            placeholder={verdict === 'bad' ? 'Reason' : 'Comment'}
            onChange={(text) => onChange({ comment: text })}
          />
        </div>
        <Button
          type="submit"
          tone="primary"
          kbd="mod+enter"
          disabled={savingLabel !== null}
          disabledReason={verdict === null ? 'Choose a verdict first' : disabledReason}
          className={clsx('max-desk:w-full', verdict === null && 'max-desk:hidden')}
        >
          {savingLabel ?? saveLabel}
        </Button>
      </fieldset>
      {verdict === 'followUp' && (
        <div className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-2 text-small text-ink-2 desk:flex">
          <label htmlFor={ids.person}>Assignee</label>
          <Input
            ref={personField}
            id={ids.person}
            list={ids.people}
            dir="auto"
            value={person}
            maxLength={200}
            autoComplete="off"
            onChange={(event) => onChange({ person: event.target.value })}
            onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
            className="w-[170px] max-desk:w-full"
          />
          <datalist id={ids.people}>
            {people.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <label htmlFor={ids.due}>Due</label>
          <Input
            id={ids.due}
            value={due}
            autoComplete="off"
            onFocus={(event) => event.currentTarget.select()}
            onChange={(event) => onChange({ due: event.target.value })}
            onBlur={() => day !== null && onChange({ due: formatCalendarDay(day) })}
            onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
            className="w-[120px] max-desk:w-full"
          />
        </div>
      )}
      {verdict === 'followUp' && isUnknown && (
        <p className="text-small text-degraded">
          Shiplog does not know “{person.trim()}”: check the name, since they are not notified.
        </p>
      )}
      {children}
    </form>
  );
}

/** The error of a draft that cannot be sent as it is, or what to send; of `people` the name as they write it. */
export function readDraftFields(
  { verdict, comment, person, due }: VerdictDraft,
  people: readonly string[],
): {
  error: string | null;
  body: Omit<ReviewRequest, 'ifVersion'> | null;
} {
  if (verdict === null) return { error: null, body: null };
  const error = validateProse(comment);
  if (error !== null) return { error, body: null };
  if (verdict !== 'followUp') return { error: null, body: { verdict, comment, followUp: null } };
  const typed = person.trim();
  if (typed === '') return { error: 'Enter an assignee.', body: null };
  const assignee = knownPerson(typed, people) ?? typed;
  const day = parseCalendarDay(due);
  if (day === null) {
    return { error: `Enter the due date like this: ${formatCalendarDay(defaultDueDay())}.`, body: null };
  }
  return { error: null, body: { verdict, comment, followUp: { person: assignee, due: day } } };
}

function knownPerson(typed: string, people: readonly string[]): string | undefined {
  return people.find((name) => name.toLowerCase() === typed.toLowerCase());
}
