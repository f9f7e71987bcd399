import { type NoteMark } from '@/components/review/footnotes';

/** A figure of a period with its name, the footnote that defines it, and its comparison. */
export function Figure({
  value,
  label,
  mark,
  remark,
  children,
}: {
  value: string;
  label: string;
  mark: React.ReactElement<React.ComponentProps<typeof NoteMark>>;
  remark: React.ReactNode;
  /** Its chart. */
  children?: React.ReactNode;
}) {
  return (
    <div className="mt-[18px] mb-2.5 break-inside-avoid border-t border-hair pt-3.5 print:mt-3 print:mb-0 print:pt-2">
      <p className="text-figure print:text-[18px]/[24px]">{value}</p>
      <p className="text-small/[18px] text-ink-2 print:text-[11px]/[15px]">
        {label}
        {mark} <span className="block text-ink-3">{remark}</span>
      </p>
      {children}
    </div>
  );
}

export function SmallFigure({
  value,
  label,
  mark,
}: Pick<React.ComponentProps<typeof Figure>, 'value' | 'label' | 'mark'>) {
  return (
    <div>
      <p className="text-[17px]/[24px] font-medium tracking-[-0.02em] print:text-[14px]/[20px]">{value}</p>
      <p className="text-small text-ink-2 print:text-[11px]">
        {label}
        {mark}
      </p>
    </div>
  );
}
