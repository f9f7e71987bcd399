/** An option with its label; a press on the label toggles it. */
export function Checkbox({
  checked,
  onChange,
  children,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  children: React.ReactNode;
}) {
  return (
    <label className="inline-flex min-h-6 cursor-pointer items-center gap-2 max-desk:min-h-11">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        className="size-[14px] flex-none accent-(--accent) max-desk:size-5"
      />
      {children}
    </label>
  );
}
