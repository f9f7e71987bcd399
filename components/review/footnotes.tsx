import type { RolloutReport } from '@/lib/api/reports';

/** The definitions in the order of their figures. */
const notes = [
  { key: 'rollouts', label: 'Rollouts' },
  { key: 'changeFailureRate', label: 'Change failure rate' },
  { key: 'timeToRestore', label: 'Time to restore' },
  { key: 'duration', label: 'Rollout duration' },
  { key: 'reviewed', label: 'Reviewed' },
  { key: 'withCause', label: 'With a change cause' },
] as const;

/** The number of a figure's footnote, as a link to it. */
export function NoteMark({ of }: { of: (typeof notes)[number]['key'] }) {
  const number = notes.findIndex(({ key }) => key === of) + 1;
  return (
    <sup className="ml-0.5 text-[9px]">
      <a href={`#note-${of}`} aria-label={`Definition ${number}`} className="text-ink-3 hover:text-ink">
        {number}
      </a>
    </sup>
  );
}

/** What each figure means. */
export function Footnotes({ definitions }: Pick<RolloutReport, 'definitions'>) {
  return (
    <section aria-label="Definitions" className="mt-8 border-t border-line pt-3">
      <ol className="max-w-[90em] list-decimal space-y-0.5 pl-5 text-[11px]/[16px] text-pretty text-ink-3">
        {notes.map(({ key, label }) => (
          <li key={key} id={`note-${key}`} className="scroll-mt-[calc(var(--top)+8px)]">
            <b className="font-medium text-ink-2">{label}.</b> {definitions[key]}
          </li>
        ))}
      </ol>
    </section>
  );
}
