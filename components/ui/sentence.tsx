import { clsx } from 'clsx';

/**
 * The opening sentence of a page, as its first heading: state, subject, number, since when, what still works. `lead`
 * is the colored start ("Stalled."). `actions` are below it, however long it is, and above the tabs on a phone.
 */
export function Sentence({
  lead,
  actions,
  children,
}: {
  lead?: React.ReactNode;
  actions?: React.ReactNode;
  children: React.ReactNode;
}) {
  return (
    <div className="grid gap-y-2.5 pt-2.5">
      <h1 className="max-w-[60em] text-say text-balance max-desk:text-[19px]/[26px] max-desk:text-pretty">
        {lead && <>{lead} </>}
        {children}
      </h1>
      {actions && (
        <div
          className={clsx(
            'flex flex-wrap gap-2',
            'max-desk:fixed max-desk:inset-x-0 max-desk:bottom-(--tabs) max-desk:z-20 max-desk:border-t max-desk:border-line max-desk:bg-surface max-desk:px-4 max-desk:py-2',
            'max-desk:[&>*]:flex-none max-desk:[&>[data-tone=primary]]:min-w-0 max-desk:[&>[data-tone=primary]]:flex-1',
            // In a low window it would take an eighth of the height.
            'low:static! low:w-full low:border-0! low:bg-transparent! low:px-0!',
          )}
        >
          {actions}
        </div>
      )}
    </div>
  );
}
