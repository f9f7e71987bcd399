import { useId } from 'react';
import { clsx } from 'clsx';

/** The style of a field; 16 px on touch devices, so that phones do not zoom in. */
export const inputClass =
  'rounded-3 border border-control bg-surface text-ink max-desk:text-[16px] focus-visible:outline-offset-0 disabled:bg-sunken disabled:text-ink-3 aria-invalid:border-stuck';

/** One line of text. */
export function Input({ className, ...rest }: React.ComponentProps<'input'>) {
  return <input {...rest} className={clsx(inputClass, 'h-[30px] px-2.5 max-desk:h-10', className)} />;
}

/**
 * A field with its name, a hint and, if any, its error. The name is next to the field, above it on a phone.
 * `<Field label="Reason" hint="…">{(props) => <Input {...props} value={…} />}</Field>`
 */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  label: string;
  hint?: React.ReactNode;
  error?: string;
  children: (props: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => React.ReactNode;
}) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className="grid gap-x-3 gap-y-1 desk:grid-cols-[auto_minmax(0,1fr)] desk:items-center low:grid-cols-[auto_minmax(0,1fr)] low:items-center">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': note ? `${id}-note` : undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {note && (
        <p
          id={`${id}-note`}
          className={clsx('text-small desk:col-start-2', error ? 'text-stuck' : 'text-ink-3')}
        >
          {note}
        </p>
      )}
    </div>
  );
}
