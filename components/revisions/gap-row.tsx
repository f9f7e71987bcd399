/** A row for missing revisions, so that gaps are visible. */
export function GapRow({ from, to, span }: { from: number; to: number; span: number }) {
  const numbers = from === to ? `Revision ${to}` : `Revisions ${from}–${to}`;
  return (
    <tr role="row" className="max-desk:block">
      <td
        role="cell"
        colSpan={span}
        className="h-7 border-b border-hair bg-[repeating-linear-gradient(-45deg,var(--hair)_0_1px,transparent_1px_6px)] pl-[58px] text-small text-ink-3 max-desk:block max-desk:px-2 max-desk:leading-7"
      >
        <span className="bg-canvas px-1.5">
          {numbers} {from === to ? 'is' : 'are'} kept no longer
        </span>
      </td>
    </tr>
  );
}
