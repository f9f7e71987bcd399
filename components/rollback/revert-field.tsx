/** Whether the action also reverts what was done. */
export function RevertField({ value, onChange }: { value: boolean; onChange: (revert: boolean) => void }) {
  return (
    <div className="px-6 pt-1 pb-4 max-desk:px-4">
      <label className="inline-flex min-h-6 cursor-pointer items-center gap-2 max-desk:min-h-11">
        <input
          type="checkbox"
          checked={value}
          onChange={(event) => onChange(event.target.checked)}
          className="size-[14px] flex-none accent-(--accent) max-desk:size-5"
        />
        Take back what it has done
      </label>
      <p className="text-small text-ink-3">
        {value
          ? 'The pods of the source come back before it is gone.'
          : 'The pods of the source and of the target stay as they are.'}
      </p>
    </div>
  );
}
