/** A figure of a period with its name, its comparison, and its meaning. */
export function Figure({
  value,
  label,
  remark,
  definition,
  children,
}: {
  value: string;
  label: string;
  remark: React.ReactNode;
  definition: string | undefined;
  /** Its chart. */
  children?: React.ReactNode;
}) {
  return (
    <div className="mt-[18px] mb-2.5 break-inside-avoid border-t border-hair pt-3.5">
      <p className="text-figure">{value}</p>
      <p className="text-small/[18px] text-ink-2">
        {label} <span className="block text-ink-3">{remark}</span>
      </p>
      {children}
      <p className="pt-1 text-[11px]/[15px] text-pretty text-ink-3">{definition}</p>
    </div>
  );
}

export function SmallFigure({ value, label }: { value: string; label: string }) {
  return (
    <div>
      <p className="text-[17px]/[24px] font-medium tracking-[-0.02em]">{value}</p>
      <p className="text-small text-ink-2">{label}</p>
    </div>
  );
}
