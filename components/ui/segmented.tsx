import { clsx } from 'clsx';

interface Segment<Value extends string> {
  value: Value;
  label: React.ReactNode;
  /** Added to the accessible name where the label is terse; it starts with the label for voice control. */
  name?: string;
}

/**
 * One of a few options, all visible.
 * `<Segmented label="Stretch of time" value={range} onChange={setRange} options={…} />`
 */
export function Segmented<Value extends string>({
  label,
  value,
  onChange,
  options,
  className,
}: {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  options: readonly Segment<Value>[];
  className?: string;
}) {
  return (
    <div
      role="group"
      aria-label={label}
      className={clsx(
        'inline-flex overflow-hidden rounded-3 border border-line-2 bg-surface max-desk:flex max-desk:flex-1',
        className,
      )}
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          aria-label={nameOf(option)}
          onClick={() => onChange(option.value)}
          className={clsx(
            'h-6 border-r border-line px-[9px] text-center whitespace-nowrap text-small transition-colors last:border-r-0 focus-visible:-outline-offset-2',
            'max-desk:h-[34px] max-desk:flex-1 max-desk:px-1',
            option.value === value ? 'bg-fill font-medium text-ink' : 'text-ink-2 hover:bg-hover',
          )}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}

function nameOf<Value extends string>({ label, name }: Segment<Value>): string | undefined {
  return name === undefined || typeof label !== 'string' ? name : `${label}, ${name}`;
}
